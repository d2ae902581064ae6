// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What carries the conditions.
enum Engine: String, CaseIterable, Sendable {
    case netem, userspace

    /// How often somebody has to be woken for a packet: netem's timer, or the pump to read and again to write.
    var wakes: Int { self == .netem ? 1 : 2 }

    /// Those that can be measured here.
    static let underTest: [Engine] = {
        guard geteuid() == 0 else { return [] }
        let trial = try? Command("unshare -n sh -c 'ip link set lo up && tc qdisc add dev lo root netem delay 1ms'")
        let canPump = access("/dev/net/tun", R_OK | W_OK) == 0
        return (trial?.wait() == 0 ? [.netem] : []) + (canPump ? [.userspace] : [])
    }()

    /// Whether this is scripts/lab, whose kernel is a program on one processor.
    private static let isInLab = ProcessInfo.processInfo.environment["LAB"] != nil

    /// What can be measured here. In the lab a process that wakes for every packet falls behind where packets are many
    /// (by 10 ms, with six busy links side by side), which says nothing of the engine.
    var links: [Link] {
        let links = Link.all + Link.rates(self)
        return Self.isInLab && self == .userspace ? links.filter { $0.wave == .quiet } : links
    }
}
