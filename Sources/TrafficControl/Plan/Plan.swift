// SPDX-License-Identifier: Apache-2.0

public import Netlink

/// What is to be done to a device and in which order: a value that can be printed, compared and undone.
public struct Plan: Hashable, Sendable {
    /// The TAP devices that a pump has to make, with its first conditions, before anything is built.
    public var taps: [Tap]
    /// What makes the new conditions take effect. A failure among these undoes those done before it.
    public var build: [Step]
    /// What the kernel must have afterwards, to be read back and compared before anything old is taken away.
    public var expected: [ExpectedLane]
    /// What takes away what is no longer wanted.
    public var retire: [Step]
    /// What the user should know about it.
    public var notes: [String]

    /// Makes a plan that does nothing.
    public init() {
        taps = []
        build = []
        expected = []
        retire = []
        notes = []
    }

    /// The parts of the kernel without which the plan cannot be carried out.
    public var requirements: [KernelFeature] {
        let lanes = expected.compactMap(\.lane)
        guard !lanes.isEmpty else { return expected.isEmpty ? [] : [.mirred] }
        return [.netem] + (lanes.contains { $0.splitter != nil } ? [.tokenBucket] : []) + [.ifb, .mirred]
    }

    /// Whether nothing is to be done.
    public var isEmpty: Bool { build.isEmpty && retire.isEmpty }
}

/// A lane as the kernel must have it once a plan is carried out.
public struct ExpectedLane: Hashable, Sendable {
    /// The ifb, or the TAP device.
    public var name: LaneName
    /// The ifb's qdiscs; nil where a pump carries it.
    public var lane: LaneQdiscs?
    /// Its filter.
    public var filter: LaneFilter
}
