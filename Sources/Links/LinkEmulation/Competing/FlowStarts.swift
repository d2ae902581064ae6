// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// When the TCP flows of competing traffic begin, and how long they are.
struct FlowStarts: Sendable {
    private enum Pattern: Sendable {
        case once
        /// A segment of this many packets every `period` nanoseconds.
        case segments(packets: Int, period: Int64)
        /// Pages with this mean distance in nanoseconds, each of so many flows, which have this many bytes in all.
        case pages(gap: Double, flows: Int, bytes: Double?)
    }

    private let pattern: Pattern
    private let seed: UInt64
    private var drawn: UInt64 = 0
    let roundTrip: Int64
    let congestion: CompetingFlows.Congestion

    private static let segment = Duration.seconds(4)
    /// The most flows of a page, whatever a profile that was not checked says.
    private static let mostFlows = 100
    /// The median of a page's bytes on phones and desktops (HTTP Archive, Web Almanac 2024: 2.3 to 2.7 MB), lognormal
    /// with a standard deviation of 1 (Barford and Crovella, 1998: heavy tails).
    private static let medianPage = 2_500_000.0
    private static let spreadOfPages = 1.0

    init(_ flows: CompetingFlows, seed: UInt64) {
        self.seed = seed
        roundTrip = (flows.roundTrip ?? CompetingFlows.defaultRoundTrip).nanoseconds
        congestion = flows.congestion
        switch flows.kind {
        case .bulk, .call: pattern = .once
        case .video(let rate):
            pattern = .segments(
                packets: max(Self.packets(rate.bytes(in: Self.segment)), 1),
                period: Self.segment.nanoseconds
            )
        case .web(let pages):
            pattern = .pages(
                gap: 60e9 / max(pages, 1e-6),
                flows: min(max(flows.connections ?? CompetingFlows.defaultConnections, 1), Self.mostFlows),
                bytes: flows.page.map { Double($0.bytes) }
            )
        }
    }

    /// The time from the traffic's start to its first flow.
    var firstDelay: Int64 {
        guard case .pages(let gap, _, _) = pattern else { return 0 }
        return Self.distance(gap, SplitMix64.value(seed: seed, index: .max))
    }

    /// What begins now: so many flows of so many packets (nil: without end), and the time to the next; nil for none.
    mutating func next() -> (flows: Int, packets: Int?, delay: Int64?) {
        switch pattern {
        case .once: return (1, nil, nil)
        case .segments(let packets, let period): return (1, packets, period)
        case .pages(let gap, let flows, let fixed):
            let (size, distance) = (
                SplitMix64.value(seed: seed, index: drawn), SplitMix64.value(seed: seed, index: drawn &+ 1)
            )
            drawn &+= 2
            let drawn = Self.medianPage * Quantile.logNormal(Quantile.unit(size), deviation: Self.spreadOfPages)
            let packets = max(Self.packets((fixed ?? drawn) / Double(flows)), 1)
            return (flows, min(packets, 1 << 20), Self.distance(gap, distance))
        }
    }

    private static func packets(_ bytes: Double) -> Int {
        // Of a full-size frame, 66 bytes are headers: Ethernet, IPv4, TCP with time stamps.
        Int((bytes / Double(Frame.fullSizeBytes - 66)).rounded(.up))
    }

    /// An exponentially distributed distance.
    private static func distance(_ mean: Double, _ random: UInt64) -> Int64 {
        Int64(min(mean * Quantile.exponential(Quantile.unit(random)), 1e15))
    }
}
