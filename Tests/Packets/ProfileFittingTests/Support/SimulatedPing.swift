// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles

@testable import ProfileFitting

/// Round trips over a profile's link, by the model.
struct SimulatedPing {
    /// In seconds; nil for a lost packet.
    let trips: [Double?]

    init(_ profile: Profile, count: Int, seed: UInt64, interval: Duration = .seconds(1), bytes: Int = 98) {
        let step = interval.nanoseconds
        var trips = [Double?](repeating: nil, count: count)
        var up = Self.pipeline(profile, .uplink, seed)
        var down = Self.pipeline(profile, .downlink, seed)
        var arrived: [(time: LinkTime, index: Int)] = []
        up.simulate((0..<count).map { .init(time: LinkTime(nanoseconds: Int64($0) * step), frameBytes: bytes) }) {
            if $0.drop == nil { arrived.append(($0.due, Int($0.tag))) }
        }
        down.simulate(arrived.map { .init(time: $0.time, frameBytes: bytes) }) { departure in
            guard departure.drop == nil else { return }
            let index = arrived[Int(departure.tag)].index
            trips[index] = Double(departure.due.nanoseconds - Int64(index) * step) / 1e9
        }
        self.trips = trips
    }

    init(trips: [Double?]) { self.trips = trips }

    private static func pipeline(_ profile: Profile, _ lane: Lane, _ seed: UInt64) -> LinkPipeline {
        LinkPipeline(
            LaneConditions(profile, lane),
            seed: seed,
            lane: lane == .uplink ? 0 : 1,
            start: LinkTime(nanoseconds: 0)
        )
    }

    /// What iputils' ping prints.
    var log: String {
        var lines = ["PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data."]
        for (index, trip) in trips.enumerated() {
            guard let trip else { continue }
            lines.append("64 bytes from 192.0.2.1: icmp_seq=\((index + 1) & 0xFFFF) ttl=64 time=\(Self.time(trip)) ms")
        }
        let answered = trips.count { $0 != nil }
        lines += [
            "", "--- 192.0.2.1 ping statistics ---",
            "\(trips.count) packets transmitted, \(answered) received, 1% packet loss, time \((trips.count - 1) * 1000)ms",
            "rtt min/avg/max/mdev = 1.000/2.000/3.000/0.500 ms",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// With the digits of ping.c.
    static func time(_ trip: Double) -> String {
        let micro = Int((trip * 1e6).rounded())
        func fixed(_ value: Int, _ places: Int) -> String {
            let scale = (0..<places).reduce(1) { product, _ in product * 10 }
            return "\(value / scale)." + String("\(scale + value % scale)".dropFirst())
        }
        if micro >= 99_950 { return "\((micro + 500) / 1000)" }
        if micro >= 9_995 { return fixed((micro + 50) / 100, 1) }
        return micro >= 1000 ? fixed((micro + 5) / 10, 2) : fixed(micro, 3)
    }

    /// The link that its log is fitted by.
    func fitted() throws -> FittedLink { try FittedLink(PingLog.read(log), name: "fitted") }
}
