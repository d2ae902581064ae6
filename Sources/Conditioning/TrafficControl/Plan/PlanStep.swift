// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// One step of a plan: an operation on one named object.
package enum PlanStep: Hashable, Sendable {
    /// A change in the kernel, over netlink.
    case kernel(KernelStep)
    /// A change of loopback's settings in /proc/sys that decide which packets from a pump it accepts.
    case setLoopback(String, LoopbackSettings, previous: LoopbackSettings)
    /// A request to the pump that serves a TAP device.
    case pump(PumpStep)
    /// A wait until a lane holds no packets, at most for this long.
    case drain(LaneHolder, atMost: Duration)

    /// The step that undoes this one; nil if none is needed or possible.
    package var undo: PlanStep? {
        switch self {
        case .kernel(let step): step.undo.map { .kernel($0) }
        case .setLoopback(let device, let settings, let previous):
            .setLoopback(device, previous, previous: settings)
        case .pump(.use(let tap, _)): .pump(.revert(tap: tap))
        case .pump(.revert), .drain: nil
        }
    }

    /// Whether the step only waits for packets.
    package var isDrain: Bool {
        if case .drain = self { true } else { false }
    }
}

/// A request to the pump that serves a TAP device.
package enum PumpStep: Hashable, Sendable {
    /// Uses other conditions from now on.
    case use(tap: String, RecordedProfile)
    /// Restores the conditions from before the last `use`.
    case revert(tap: String)
}

/// The holder of a lane's packets, by the name of the lane's device.
package enum LaneHolder: Hashable, Sendable {
    /// The qdiscs of an ifb.
    case ifb(String)
    /// The pump that serves a TAP device.
    case pump(String)
    /// The qdiscs of the conditioned device itself.
    case root(String)

    package var device: String {
        switch self {
        case .ifb(let name), .pump(let name), .root(let name): name
        }
    }
}
