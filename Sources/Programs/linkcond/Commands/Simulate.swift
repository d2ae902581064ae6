// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import InternetAddresses
import LinkEmulation
import LinkProfiles
import LinkVerification
import ProfileCatalog

extension Linkcond {
    struct Simulate: ParsableCommand {
        static let configuration = CommandConfiguration(
            .simulate,
            abstract: "Show the effect of a link on packets, without waiting.",
            discussion: """
                Runs packets through the model of a profile's lanes, the same that carries them in the userspace engine, \
                and prints what becomes of them: losses by their reason, delays, the rate that comes. The packets are \
                generated, equally far apart, or those of a capture (pcap, pcapng) with their own times and sizes. They \
                do not react to the link, as TCP would.
                """,
            examples: "simulate 3g",
            "simulate lte --load '20 Mbit/s' --for 30s"
        )

        @OptionGroup var profileOptions: ProfileOptions

        @Option(
            name: .long,
            help: ArgumentHelp("Take the packets of this file; \"-\" is standard input.", valueName: "FILE")
        )
        var capture: String?

        @Option(
            name: .long,
            help: ArgumentHelp(
                "The address of the link's host in the capture. Default: the source of its first packet.",
                valueName: "ADDRESS"
            )
        )
        var host: String?

        @Option(
            name: .long,
            help:
                ArgumentHelp(
                    "What is sent each way, such as '2 Mbit/s'. Default: a third more than the rate, or 1 Mbit/s without one.",
                    valueName: "RATE"
                )
        )
        var load: String?

        @Option(
            name: .long,
            help: ArgumentHelp("The size of each packet in bytes, with 14 of the link's header.", valueName: "N")
        )
        var size = 1_514

        @Option(
            name: .customLong("for"),
            help: ArgumentHelp("How long packets are sent: \"90\" or \"90s\", \"5m\".", valueName: "TIME")
        )
        var time = "10s"

        @Option(
            name: .long,
            help: ArgumentHelp("The seed of the random sequences, to repeat a simulation.", valueName: "N")
        )
        var seed: UInt64?

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        /// The maximum number of packets per lane, which bounds the memory.
        private static let maximumPackets = 20_000_000.0

        func validate() throws {
            _ = try EndingOptions.time(time)
            _ = try rate()
            _ = try address()
            guard 64...65_549 ~= size else { throw ValidationError("--size is from 64 to 65549 bytes.") }
            guard host == nil || capture != nil else { throw ValidationError("--host needs --capture.") }
            guard capture == nil || load == nil else {
                throw ValidationError("The packets of --capture have their own times: leave out --load.")
            }
            guard capture != "-" || profileOptions.profile != "-" else {
                throw ValidationError("Only one file can be standard input.")
            }
        }

        private func rate() throws -> BitRate? { try load.map(RateOption.rate) }

        private func address() throws -> IPAddress? {
            try host.map { text in
                guard let address = IPAddress(text) else { throw ValidationError("'\(text)' is not an IP address") }
                return address
            }
        }

        func run() throws {
            let loaded = try profileOptions.load()
            LoadedProfile.note([loaded])
            let profile = loaded.profile
            guard !profile.lanes.isEmpty else {
                throw Failure(.usage, "\(loaded.label) has no figures of a link, so there is nothing to simulate")
            }
            let traces = Dictionary(
                try loaded.traces().map { ($0.reference, $0.trace) },
                uniquingKeysWith: { first, _ in first }
            )
            let arrivals = try capture.map { try captured($0, profile) } ?? generated(profile, traces)
            let seed = seed ?? profile.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
            let lanes = [Lane.downlink, .uplink, .dns].compactMap { lane in
                arrivals[lane].map { SimulatedLane(profile, lane, traces: traces, $0, seed: seed) }
            }
            let report = SimulationReport(profile, lanes, seed: seed)
            Console.data(report.lines, or: report.json, asJSON: json)
        }

        private func captured(_ path: String, _ profile: Profile) throws -> [Lane: [LinkPipeline.Arrival]] {
            let captured = try CapturedArrivals(host: try address(), hasQueryLane: profile.dns != nil) {
                try CaptureFile.read(path, $0)
            }
            guard !captured.lanes.isEmpty else {
                throw Failure(.badProfile, "\(path) has no packets of IP\(host.map { " from or to \($0)" } ?? "")")
            }
            if captured.others > 0 {
                let words = captured.host.map { "neither from \($0) nor to it, or" } ?? ""
                Console.failure("note: \(captured.others) packets are left out: they are \(words) no packets of IP")
            }
            return captured.lanes
        }

        private func generated(
            _ profile: Profile,
            _ traces: [TraceReference: Trace]
        ) throws -> [Lane: [LinkPipeline.Arrival]] {
            let (time, given) = (try EndingOptions.time(time), try rate())
            var arrivals: [Lane: [LinkPipeline.Arrival]] = [:]
            for lane in [Lane.downlink, .uplink] {
                let figures = profile.impairments(of: lane) ?? Impairments()
                let own = figures.rate ?? figures.trace.flatMap { traces[$0]?.meanRate }
                let more = own.map { BitRate(bitsPerSecond: $0.bitsPerSecond / 3 * 4) }
                let rate = given ?? more.flatMap { $0.isZero ? nil : $0 } ?? BitRate(bitsPerSecond: 1_000_000)
                let count = rate.bytes(in: time) / Double(size)
                guard count <= Self.maximumPackets else {
                    throw Failure(
                        .usage,
                        "\(rate) for \(time.text) are more than 20 million packets",
                        remedy: "--for 1s"
                    )
                }
                let gap = rate.time(forBytes: Double(size)) / .nanoseconds(1)
                arrivals[lane] = (0..<max(Int(count), 1)).map { number in
                    let time = LinkTime(nanoseconds: Int64(Double(number) * gap))
                    return LinkPipeline.Arrival(
                        time: time,
                        frameBytes: size,
                        ecn: figures.ecn == true ? .classic : .none
                    )
                }
            }
            return arrivals
        }
    }
}
