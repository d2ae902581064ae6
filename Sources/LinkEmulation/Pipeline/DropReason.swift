// SPDX-License-Identifier: Apache-2.0

/// Why a packet was dropped.
public enum DropReason: UInt8, CaseIterable, Sendable {
    /// The loss model, outside a burst: random loss, or an isolated loss of a chain.
    case randomLoss
    /// The loss model, in a burst: the bad state of Gilbert-Elliott, or state 3 of the four-state chain.
    case burstLoss
    /// The buffer at the bottleneck was full.
    case queueFull
    /// The buffer at the bottleneck was full while a step of the schedule held packets back.
    case outage
    /// The pipeline held as many packets as it may. This is a limit of memory, not an impairment.
    case memoryFull
}
