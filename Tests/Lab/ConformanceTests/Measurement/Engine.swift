// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

/// What carries the conditions.
enum Engine: String, CaseIterable, Sendable {
    case netem, userspace

    /// How often a process has to be woken for a packet: netem's timer, or the pump to read and again to write.
    var wakes: Int { self == .netem ? 1 : 2 }

    /// Those that can be measured here.
    static let underTest: [Engine] = {
        guard Kernel.isRoot else { return [] }
        // The host's own kernel has shown what the pump does; the lab repeats its quiet links in the soak only.
        let measuresPump = Kernel.canPump && (!Kernel.isLab || Extent.current == .soak)
        return (Kernel.hasNetem ? [.netem] : []) + (measuresPump ? [.userspace] : [])
    }()

    /// What can be measured here. In the lab a process that wakes for every packet falls behind where packets are many
    /// (by 10 ms, with six busy links side by side), which says nothing of the engine.
    var links: [Link] {
        let links = Link.all + Link.rates(self)
        return Kernel.isLab && self == .userspace ? links.filter { $0.wave == .quiet } : links
    }
}
