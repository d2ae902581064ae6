// SPDX-License-Identifier: Apache-2.0

public import Netlink

/// What is to be done to a device and in which order: a value that can be printed, compared and undone.
public struct Plan: Hashable, Sendable {
    /// What makes the new conditions take effect. A failure among these undoes those done before it.
    public var build: [Operation]
    /// What the kernel must have afterwards, to be read back and compared before anything old is taken away.
    public var expected: [ExpectedLane]
    /// What takes away what is no longer wanted.
    public var retire: [Operation]
    /// What the user should know about it.
    public var notes: [String]

    /// Makes a plan that does nothing.
    public init() {
        build = []
        expected = []
        retire = []
        notes = []
    }

    /// The parts of the kernel without which the plan cannot be carried out.
    public var requirements: [KernelFeature] {
        let lanes = expected.map(\.lane)
        guard !lanes.isEmpty else { return [] }
        return [.netem] + (lanes.contains { $0.splitter != nil } ? [.tokenBucket] : []) + [.ifb, .mirred]
    }

    /// Whether nothing is to be done.
    public var isEmpty: Bool { build.isEmpty && retire.isEmpty }
}

/// A lane as the kernel must have it once a plan is carried out.
public struct ExpectedLane: Hashable, Sendable {
    /// The ifb.
    public var name: LaneName
    /// Its qdiscs.
    public var lane: Lane
    /// Its filter.
    public var filter: LaneFilter
}
