// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkVerification
import ProfileCatalog
import Testing

extension Link {
    /// Links of different traits, each with traffic that shows them.
    static let all: [Link] = [
        // Nothing but distance.
        Link(
            builtIn("GEO Propagation Only"),
            .quiet,
            ProbeTraffic(packets: 400, interval: .milliseconds(30), payload: 200)
        ),
        // Different rates; in every group packets wait for each other.
        Link(builtIn("DSL"), .quiet, ProbeTraffic(packets: 480, interval: .milliseconds(100), payload: 400, group: 4)),
        // Ordered jitter, whose shape is that of single packets.
        Link(
            builtIn("RMCAT Default"),
            .quiet,
            ProbeTraffic(packets: 240, interval: .milliseconds(60), payload: 1000),
            name: "RMCAT Default, single packets"
        ),
        // The same where packets are so close that they would overtake.
        Link(builtIn("RMCAT Default"), .busy, ProbeTraffic(packets: 2500, interval: .milliseconds(4), payload: 500)),
        // Slow, late, and each packet lost by itself.
        Link(builtIn("Very Bad Network"), .busy, ProbeTraffic(packets: 1200, interval: .milliseconds(8), payload: 100)),
        // Bursts of loss alone.
        Link(builtIn("Wi-Fi Lossy"), .busy, ProbeTraffic(packets: 5000, interval: .milliseconds(2), payload: 200)),
        // Long bursts of loss after a rate. In packets of full size, as netem counts those in flight by.
        Link(
            builtIn("In-Flight Satellite"),
            .busy,
            uplink: ProbeTraffic(packets: 450, interval: .milliseconds(25), payload: 1472),
            downlink: ProbeTraffic(packets: 1750, interval: .microseconds(6500), payload: 1472)
        ),
        states, changes, marks, wanderer,
    ]

    /// A profile that comes with the program.
    private static func builtIn(_ name: String) -> Profile {
        do {
            return try Catalog(directories: []).profile(name).profile
        } catch {
            Issue.record("\(name): \(error)")
            return Profile(name: name)
        }
    }

    /// Unordered jitter of two shapes, with loss; no profile that comes with the program has any.
    private static let wanderer: Link = {
        var profile = Profile(name: "Wanderer")
        var figures = Impairments()
        figures.delay = .milliseconds(60)
        figures.jitter = Jitter(amount: .milliseconds(12), distribution: .normal, ordered: false)
        figures.loss = .random(Probability(fraction: 0.02))
        profile.uplink = figures
        figures.jitter = Jitter(amount: .milliseconds(10), distribution: .pareto, ordered: false)
        figures.loss = nil
        profile.downlink = figures
        return Link(profile, .busy, ProbeTraffic(packets: 2500, interval: .milliseconds(4), payload: 100))
    }()

    /// Loss of which all four states show.
    private static let states: Link = {
        var profile = Profile(name: "Four states")
        profile.downlink = Impairments()
        profile.downlink?.loss = .fourState(
            FourState(
                p13: Probability(fraction: 0.02),
                p31: Probability(fraction: 0.3),
                p32: Probability(fraction: 0.3),
                p23: Probability(fraction: 0.4),
                p14: Probability(fraction: 0.005)
            )
        )
        return Link(profile, .busy, ProbeTraffic(packets: 5000, interval: .milliseconds(2), payload: 100))
    }()

    /// Copies one way; damage, and packets that go ahead of others, the other way.
    private static let changes: Link = {
        var profile = Profile(name: "Copies, damage, order")
        profile.uplink = Impairments()
        profile.uplink?.duplicate = Probability(fraction: 0.03)
        profile.uplink?.delay = .milliseconds(10)
        profile.downlink = Impairments()
        profile.downlink?.corrupt = Probability(fraction: 0.04)
        profile.downlink?.delay = .milliseconds(30)
        profile.downlink?.reorder = Reorder(probability: Probability(fraction: 0.05))
        return Link(profile, .busy, ProbeTraffic(packets: 5000, interval: .milliseconds(2), payload: 100))
    }()

    /// Packets are marked instead of lost.
    private static let marks: Link = {
        var profile = Profile(name: "Marks")
        profile.uplink = Impairments()
        profile.uplink?.loss = .random(Probability(fraction: 0.05))
        profile.uplink?.ecn = true
        return Link(profile, .busy, ProbeTraffic(packets: 3000, interval: .milliseconds(3), payload: 100))
    }()

    /// Queues in each unit, and a rate in cells, which a datagram of 100 bytes fills worse than one of 1,000.
    private static let queue: Link = {
        var cells = Profile(name: "Cells, and a queue of bytes")
        cells.uplink = Impairments()
        cells.uplink?.rate = BitRate(bitsPerSecond: 1_000_000)
        cells.uplink?.overhead = Overhead(packet: 18, cell: 48, cellOverhead: 5)
        cells.uplink?.queue = .packets(40)
        cells.downlink = Impairments()
        cells.downlink?.rate = BitRate(bitsPerSecond: 2_000_000)
        cells.downlink?.queue = .bytes(30_000)
        // 142 bytes are 4 cells of 53 bytes.
        return Link(
            cells,
            .full,
            uplink: ProbeTraffic(filling: (670_000, 100, 1)),
            downlink: ProbeTraffic(filling: (2_000_000, 1000, 1))
        )
    }()

    /// Rates to be filled. On netem none above 100 Mbit/s: the lab, where there is one, has a kernel that is a program
    /// on one processor, and sends no more than 400 Mbit/s of full-size packets.
    static func rates(_ engine: Engine) -> [Link] {
        [
            rate(.full, uplink: (32_000, 100, 1), downlink: (256_000, 400, 1)),
            rate(.full, uplink: (1_000_000, 1000, 1), downlink: (10_000_000, 1472, 1)),
            queue,
            rate(.alone, uplink: (100_000_000, 1472, 8), downlink: (2_000_000, 1000, 1)),
        ] + (engine == .userspace ? [rate(.alone, uplink: (1_000_000_000, 1472, 40), downlink: (64_000, 200, 1))] : [])
    }

    private static func rate(
        _ wave: Wave,
        uplink: (rate: UInt64, payload: Int, group: Int),
        downlink: (rate: UInt64, payload: Int, group: Int)
    ) -> Link {
        var profile = Profile(name: "\(uplink.rate) and \(downlink.rate) bits a second")
        profile.uplink = Impairments()
        profile.uplink?.rate = BitRate(bitsPerSecond: uplink.rate)
        profile.downlink = Impairments()
        profile.downlink?.rate = BitRate(bitsPerSecond: downlink.rate)
        return Link(profile, wave, uplink: ProbeTraffic(filling: uplink), downlink: ProbeTraffic(filling: downlink))
    }
}

extension ProbeTraffic {
    /// Four thirds of a rate, for two seconds.
    fileprivate init(filling flow: (rate: UInt64, payload: Int, group: Int)) {
        let interval = Int64((flow.payload + 42) * 8 * flow.group) * 750_000_000 / Int64(flow.rate)
        self.init(
            packets: Int(2_000_000_000 / interval) * flow.group,
            interval: .nanoseconds(interval),
            payload: flow.payload,
            group: flow.group
        )
    }
}
