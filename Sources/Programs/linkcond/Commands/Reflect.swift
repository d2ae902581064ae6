// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import InternetAddresses
import LinkMeasuring
import LinkProbes
import LinkProfiles
import LinuxSystem

extension Linkcond {
    struct Reflect: ParsableCommand {
        static let configuration = CommandConfiguration(
            .reflect,
            abstract: "Answer \"verify --peer\" of another machine.",
            discussion: """
                Listens on a UDP port and answers only who has the key: that of LINKCOND_KEY, or else a new one, which is \
                printed. One machine can measure at a time. No more bytes leave than have come, none faster than --rate, \
                and it ends by itself.
                """,
            examples: "reflect",
            "reflect --listen 7400 --for 10m"
        )

        @Option(
            name: .long,
            help: ArgumentHelp("Where it listens: \"PORT\" on each address, or \"ADDRESS:PORT\".", valueName: "PORT")
        )
        var listen = "\(PeerOption.usualPort)"

        @Option(name: .long, help: ArgumentHelp("The most that it sends, such as '10 Mbit/s'.", valueName: "RATE"))
        var rate = "100 Mbit/s"

        @Option(
            name: .customLong("for"),
            help: ArgumentHelp("How long it listens: \"90\" or \"90s\", \"5m\".", valueName: "TIME")
        )
        var time = "1h"

        func validate() throws {
            _ = try EndingOptions.time(time)
            _ = try RateOption.rate(rate)
        }

        func run() throws {
            var random = SystemRandomNumberGenerator()
            let (given, made) = (try PeerOption.key(), ReflectionKey.text(&random))
            guard let key = given ?? ReflectionKey(made) else { return }
            let (address, limit, time) = (try address(), try RateOption.rate(rate), try EndingOptions.time(time))
            let signals = try SignalQueue([SIGINT, SIGTERM, SIGHUP])
            do throws(ProbeError) {
                var loop = try ReflectorLoop(key, at: address, rate: limit, for: time, bootID: PeerMeasurement.bootID)
                let listener = UInt16(listen) == nil ? "\(address)" : "UDP port \(listen)"
                Console.text("listening on \(listener) for \(time.text), sending at most \(limit)")
                let assignment = given == nil ? "\(PeerOption.keyVariable)=\(made) " : ""
                let port = address.port == PeerOption.usualPort ? "" : ":\(address.port)"
                Console.text("on the other machine: \(assignment)linkcond verify PROFILE -i DEV --peer HOST\(port)")
                try loop.run(stop: signals.descriptor) { event in
                    switch event {
                    case .began(let client): Console.text("\(client) measures")
                    case .ended(let client, let bytes): Console.text("\(client) has ended: \(bytes) bytes came")
                    }
                }
            } catch {
                throw Failure(error.code == EACCES ? .notPermitted : .unavailable, "cannot reflect: \(error)")
            }
        }

        private func address() throws -> PeerAddress {
            guard let port = UInt16(listen) else { return try PeerOption.address(listen) }
            // An IPv6 socket also receives IPv4; without IPv6, an IPv4 socket is used.
            let hasIPv6 = access("/proc/sys/net/ipv6", F_OK) == 0
            guard let all = PeerAddress([UInt8](repeating: 0, count: hasIPv6 ? 16 : 4), scope: 0, port: port) else {
                throw Failure(.internalError, "no address")
            }
            return all
        }
    }
}
