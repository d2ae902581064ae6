// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import LinkVerification
import ProfileCatalog

/// Traffic of frames of one size, by what it does to the queue of a bottleneck.
enum FrameLoad: String, CaseIterable, Sendable {
    /// 27 % of the rate: packets in flight, and no queue.
    case light
    /// 80 % of the queue within less than a second: no packet is dropped.
    case burst
    /// Up to 600 packets, at four times the rate or one each 2 ms: the queue overflows if the link is slow enough.
    case overload

    /// The bytes of an IPv4 and a UDP header, and 14 more.
    private static let headers = 42

    /// The traffic for one direction of `profile`; nil where that has no rate.
    func traffic(_ profile: Profile, _ direction: Direction, frameBytes: Int) -> ProbeTraffic? {
        let figures = direction == .uplink ? profile.uplink : profile.downlink
        guard let rate = figures?.rate else { return nil }
        let time = rate.time(forBytes: Double(frameBytes))
        let capacity = Self.capacity(profile, direction, frameBytes: frameBytes)
        switch self {
        case .light:
            let interval = max(time / 0.27, .milliseconds(2))
            return made(min(max(Int(Duration.seconds(3) / interval), 4), 1000), interval, frameBytes)
        case .burst: return made(min(max(capacity * 4 / 5, 2), 400), .milliseconds(2), frameBytes)
        case .overload:
            let interval = max(time / 4, .milliseconds(2))
            return made(min(capacity * 2, 600), interval, frameBytes)
        }
    }

    private func made(_ packets: Int, _ interval: Duration, _ frameBytes: Int) -> ProbeTraffic {
        ProbeTraffic(packets: packets, interval: interval, payload: frameBytes - Self.headers)
    }

    /// How many frames the model accepts at once.
    private static func capacity(_ profile: Profile, _ direction: Direction, frameBytes: Int) -> Int {
        var profile = profile
        profile.uplink?.loss = nil
        profile.downlink?.loss = nil
        let sends = [Int64](repeating: 0, count: 1000)
        return LaneModel(profile, direction).record(of: sends, frameBytes: frameBytes, seed: 1).arrivals.count
    }
}

/// A profile, and the frames of each direction.
struct FrameCase: Sendable, CustomStringConvertible {
    let profile: Profile
    let load: FrameLoad
    let uplinkFrame: Int
    let downlinkFrame: Int

    var description: String { "\(profile.name), \(load.rawValue), \(uplinkFrame) and \(downlinkFrame) bytes" }

    /// The link to measure. A direction without a rate carries one packet.
    var link: Link {
        let idle = ProbeTraffic(packets: 1, interval: .seconds(1), payload: 22)
        return Link(
            profile,
            .busy,
            uplink: load.traffic(profile, .uplink, frameBytes: uplinkFrame) ?? idle,
            downlink: load.traffic(profile, .downlink, frameBytes: downlinkFrame) ?? idle
        )
    }

    /// What each run measures.
    static func few() throws -> [FrameCase] {
        let (slow, bad) = (try builtIn("Slow Net"), try builtIn("Very Bad Network"))
        return [
            FrameCase(profile: bad, load: .light, uplinkFrame: 102, downlinkFrame: 64),
            FrameCase(profile: bad, load: .burst, uplinkFrame: 1514, downlinkFrame: 590),
            FrameCase(profile: slow, load: .burst, uplinkFrame: 64, downlinkFrame: 590),
            FrameCase(profile: slow, load: .overload, uplinkFrame: 1514, downlinkFrame: 102),
            FrameCase(profile: try builtIn("3G"), load: .overload, uplinkFrame: 590, downlinkFrame: 1514),
        ]
    }

    /// The longest default queue of a link that is measured.
    private static let longestQueue = Duration.seconds(60)

    /// Every built-in profile with a rate that netem carries, with every load and size; but for links so slow that a trial
    /// would have ended before the queue is empty.
    static func all() -> [FrameCase] {
        let profiles = Catalog(directories: []).all().profiles.map(\.profile).filter { profile in
            let rates = [profile.uplink?.rate, profile.downlink?.rate].compactMap { $0 }
            let isShort = rates.allSatisfy { $0.time(forBytes: 16 * 1514) < longestQueue }
            return profile.schedule == nil && profile.traceReferences.isEmpty && !rates.isEmpty && isShort
        }
        return profiles.flatMap { profile in
            FrameLoad.allCases.flatMap { load in
                [(64, 590), (590, 64), (102, 1514), (1514, 102)].map { sizes in
                    FrameCase(profile: profile, load: load, uplinkFrame: sizes.0, downlinkFrame: sizes.1)
                }
            }
        }
    }

    private static func builtIn(_ name: String) throws -> Profile {
        try Catalog(directories: []).profile(name).profile
    }
}
