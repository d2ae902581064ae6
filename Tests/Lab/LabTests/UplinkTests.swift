// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import TestKit
import Testing

extension LabTests {
    /// A sandbox's uplink, between a host and a simulated internet.
    @Suite struct Uplinks {
        private static let addresses = [Outside.address.v4, Outside.address.v6]

        /// Holds connections and requests to round trips of 100 ms. The handshake is one round trip, request and answer
        /// another. A program in between adds milliseconds of its own, as many as without conditions, and takes none away.
        private func expectRoundTrips(_ outside: Outside, _ address: String, as caller: Caller) throws {
            let client = Web.client(address, "GET", bytes: 100, count: 8)
            func minimum(_ figures: String) throws -> (connect: Double, firstByte: Double) {
                let requests: [Web.Request] = try outside.check("\(figures) -- \(client)", as: caller).decoded()
                return (
                    try #require(requests.map(\.connect).min()), try #require(requests.map(\.firstByte).min())
                )
            }
            try Measurements.settle(stillness: 5) {
                let plain = try minimum("")
                let delayed = try minimum("--uplink 'delay=70 ms' --downlink 'delay=30 ms'")
                return try Measurements.fault("connect", delayed.connect, in: 99...(115 + plain.connect))
                    ?? Measurements.fault("first byte", delayed.firstByte, in: 99...(115 + plain.firstByte))
            }
        }

        /// Holds the time that 250 kB take to 2 Mbit/s, in segments of an MTU of 1500 with time stamps.
        private func fault(_ milliseconds: Double, bytes: Double, to address: String) throws -> String? {
            let share = (address.contains(":") ? 1428.0 : 1448) / 1514
            let ideal = bytes * 8 / (2000 * share)
            return try Measurements.fault("milliseconds", milliseconds, in: ideal * 0.95...ideal * 1.05)
        }

        @Test(arguments: Caller.allCases, addresses)
        func connectionTakesTheProfilesRoundTrips(_ caller: Caller, _ address: String) throws {
            let outside = try Outside()
            try expectRoundTrips(outside, address, as: caller)
        }

        @Test(arguments: zip(Caller.allCases, addresses))
        func downloadHasTheProfilesRate(_ caller: Caller, _ address: String) throws {
            let outside = try Outside()
            let client = Web.client(address, "GET", bytes: 250_000)
            try Measurements.settle {
                let output = try outside.check("--downlink 'rate=2 Mbit/s' -- \(client)", as: caller)
                let request = try #require(try output.decoded(as: [Web.Request].self).first)
                return try fault(request.rest, bytes: request.bytes, to: address)
            }
        }

        @Test(arguments: zip(Caller.allCases, addresses))
        func uploadHasTheProfilesRate(_ caller: Caller, _ address: String) throws {
            let outside = try Outside()
            let client = Web.client(address, "PUT", bytes: 250_000)
            try Measurements.settle {
                let output = try outside.check("--uplink 'rate=2 Mbit/s' -- \(client)", as: caller)
                let request = try #require(try output.decoded(as: [Web.Request].self).first)
                return try fault(request.firstByte, bytes: 250_000, to: address)
            }
        }

        @Test(arguments: Caller.allCases)
        func programEndsWithItsSandboxWhicheverProcessIsKilled(_ caller: Caller) throws {
            let outside = try Outside()
            let living = "ps -eo comm | grep -cE '^lc-'"
            #expect(try Shell.run(living).output == "0\n")
            let command = "kill -9 $(ps -o ppid= -p $PPID) $PPID; sleep 1000"
            _ = try outside.run("-- sh -c \(Shell.quoted(command))", as: caller)
            #expect(try HangLimit.waits { try Shell.run(living).output == "0\n" })
        }

        @Test(arguments: Caller.allCases)
        func closedPortsRefuse(_ caller: Caller) throws {
            let outside = try Outside()
            let line = PortCheck.line(Self.addresses.map { "\($0)/81" }, mustAnswer: true)
            let answers: [PortCheck.Answer] = try outside.check("-- \(line)", as: caller).decoded()
            #expect(answers.map(\.tcp) == ["ECONNREFUSED", "ECONNREFUSED"])
        }

        /// Of several, by either engine. A client that is bound to none has the first.
        @Test(arguments: Caller.allCases, ["netem", "userspace"])
        func eachHasItsRoundTrips(_ caller: Caller, _ engine: String) throws {
            let outside = try Outside()
            // So that a user's pings leave the machine.
            let groups = "sysctl -qw net.ipv4.ping_group_range='0 2147483647'"
            try Shell.check("ip netns exec \(outside.host) \(groups)")
            try Measurements.settle {
                for (interface, range) in [("", 2.0...60), ("-I wifi0", 2.0...60), ("-I cell0", 115.0...200)] {
                    let ping = "ping -n -c 5 -i 0.2 \(interface) \(Outside.address.v4)"
                    let options = "--engine \(engine) --path wifi0=Wi-Fi --path cell0=LTE"
                    let found = try Ping(reading: try outside.check("\(options) -- \(ping)", as: caller))
                    if let fault = try found.fault("round trip \(interface)", range) { return fault }
                }
                return nil
            }
        }

        @Test(arguments: Caller.allCases)
        func countersCountBothDirectionsOfTheUplink(_ caller: Caller) throws {
            let outside = try Outside()
            let commands = "\(Web.client(Outside.address.v4, "GET", bytes: 100)) >&2; \(Shell.linkcond) status --json"
            let output = try outside.check("LTE -- sh -c \(Shell.quoted(commands))", as: caller)
            let status = try StatusReport(printed: output)
            #expect(status.sandbox?.uplink == "lc-gateway")
            // SYN, its answer, request, answer, and an end or an acknowledgement each way.
            #expect(try #require(status.lane(.uplink, of: "uplink0")).matchedPackets >= 3)
            #expect(try #require(status.lane(.downlink, of: "uplink0")).matchedPackets >= 3)
        }
    }
}
