// SPDX-License-Identifier: Apache-2.0

package import Netlink

/// The steps that change a device's conditions, as a value that can be printed, compared and undone.
package struct Plan: Hashable, Sendable {
    /// The TAP devices that a pump must create, with its first conditions, before the `build` steps.
    package var taps: [Tap] = []
    /// The steps that make the new conditions take effect. If one fails, the steps before it are undone.
    package var build: [PlanStep] = []
    /// The lanes that the kernel must have after `build`; compared with its state before `teardown`.
    package var expected: [ExpectedLane] = []
    /// The lane that the device's root qdisc must be after `build`.
    package var root: LaneQdiscs?
    /// The steps that remove lanes, filters and settings that are no longer needed.
    package var teardown: [PlanStep] = []
    /// Remarks for the user.
    package var notes: [String] = []

    package init() {}

    package var requirements: [KernelFeature] {
        if let root { return [.netem] + (root.splitter == nil ? [] : [.tokenBucket]) }
        let lanes = expected.compactMap(\.lane)
        guard !lanes.isEmpty else { return expected.isEmpty ? [] : [.mirred] }
        return [.netem] + (lanes.contains { $0.splitter != nil } ? [.tokenBucket] : [])
            + (lanes.contains { $0.policer != nil } ? [.priorityBands, .police] : []) + [.ifb, .mirred]
    }

    /// Whether a pump carries lanes whose filters drop packets once the pump is gone.
    package var failsClosed: Bool { expected.contains { $0.lane == nil && $0.filter.failOpen == nil } }

    /// Whether traffic is conditioned once the plan has been carried out.
    package var hasLanes: Bool { !expected.isEmpty || root != nil }

    package var isEmpty: Bool { build.isEmpty && teardown.isEmpty }
}

/// A lane that the kernel must have after the `build` steps of a plan.
package struct ExpectedLane: Hashable, Sendable {
    /// The name of the ifb or the TAP device.
    package var name: LaneName
    /// The ifb's qdiscs; nil if a pump carries the lane.
    package var lane: LaneQdiscs?
    package var filter: LaneFilter
}
