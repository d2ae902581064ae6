// SPDX-License-Identifier: Apache-2.0

/// What a link did to a packet.
public enum Fate: Hashable, Sendable {
    /// Delivered.
    case passed
    /// Delivered a second time.
    case duplicate
    /// Delivered with a wrong bit.
    case corrupted
    /// Delivered with a congestion mark (RFC 3168).
    case marked
    /// Not delivered; nil for a reason that this version does not know, in a capture of another one.
    case dropped(DropReason?)

    /// Its name in logs, captures and reports.
    public var name: String {
        switch self {
        case .passed: "passed"
        case .duplicate: "duplicate"
        case .corrupted: "corrupted"
        case .marked: "marked"
        case .dropped: "dropped"
        }
    }

    /// The name of the reason of a drop; nil for a packet that was not dropped.
    public var reasonName: String? {
        if case .dropped(let reason) = self { reason.name } else { nil }
    }

    /// Reads names; nil for an unknown fate. Only a drop has a reason.
    public init?(name: String, reasonName: String? = nil) {
        let reason = reasonName.flatMap { name in DropReason.allCases.first { $0.name == name } }
        let all: [Fate] = [.passed, .duplicate, .corrupted, .marked, .dropped(reason)]
        guard let fate = all.first(where: { $0.name == name }) else { return nil }
        self = fate
    }
}

/// Why a packet was dropped.
///
/// The raw values are the order of a pump's counters.
public enum DropReason: UInt8, CaseIterable, Sendable {
    /// The loss model, outside a burst: random loss, or an isolated loss of a chain.
    case randomLoss
    /// The loss model, in a burst: the bad state of Gilbert-Elliott, or state 3 of the four-state chain.
    case burstLoss
    /// The buffer at the bottleneck was full.
    case queueFull
    /// The buffer at the bottleneck was full while a step of the schedule held packets back.
    case outage
    /// There was no memory left for the packet. This is no impairment.
    case memory
    /// The kernel refused the frame: write(2) failed.
    case refused
    /// The link ended while it held the packet.
    case stopped
    /// A step of the scenario dropped what the link held.
    case step
    /// The link was down.
    case linkDown
    /// The host's address is another one now.
    case oldAddress
    /// The network carries no IPv6.
    case noIPv6

    /// Its name in logs, captures and reports: that of the case.
    public var name: String { "\(self)" }
}

extension Optional<DropReason> {
    /// Its name in logs, captures and reports.
    public var name: String { self?.name ?? "unknown" }
}
