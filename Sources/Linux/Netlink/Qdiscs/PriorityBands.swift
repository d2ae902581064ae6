// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// The options of the priority qdisc; net/sched/sch_prio.c, tc-prio(8).
///
/// Each band is a class with a child qdisc of its own: band 0 is the class MAJOR:1.
package struct PriorityBands: Hashable, Sendable {
    /// The number of bands; the kernel requires at least two.
    package var bands: Int32
    /// The band for each of the sixteen priorities, for packets that no filter classifies.
    package var map: [UInt8]

    /// Makes the options; by default, all priorities use the first of two bands.
    package init(bands: Int32 = 2, map: [UInt8] = Array(repeating: 0, count: 16)) {
        self.bands = bands
        self.map = map
    }

    /// The payload of TCA_OPTIONS: `struct tc_prio_qopt`.
    var options: [UInt8] {
        withUnsafeBytes(of: bands) { Array($0) } + map.prefix(16) + Array(repeating: 0, count: max(16 - map.count, 0))
    }

    init?(_ options: ArraySlice<UInt8>) {
        guard options.count >= MemoryLayout<tc_prio_qopt>.size, let bands = options.load(Int32.self) else { return nil }
        self.init(bands: bands, map: Array(options.dropFirst(MemoryLayout<Int32>.size).prefix(16)))
    }
}
