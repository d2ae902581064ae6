// SPDX-License-Identifier: Apache-2.0

/// The fate of a packet: a link's effect on it.
public enum Fate: Hashable, Sendable {
    /// Delivered.
    case passed
    /// Delivered a second time.
    case duplicate
    /// Delivered with a wrong bit.
    case corrupted
    /// Delivered with a congestion mark (RFC 3168).
    case marked
    /// Not delivered; nil for an unknown reason, in a capture from another version of this program.
    case dropped(DropReason?)

    /// The fate's name in logs, captures and reports.
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

    /// The reason's name without a space.
    package var reasonWord: String? {
        if case .dropped(let reason) = self { reason?.word ?? reason.name } else { nil }
    }

    /// Reads a fate from its name, and the reason of a drop from `reasonName`; nil for an unknown fate.
    public init?(name: String, reasonName: String? = nil) {
        let reason = reasonName.flatMap { DropReason(name: $0) }
        let all: [Fate] = [.passed, .duplicate, .corrupted, .marked, .dropped(reason)]
        guard let fate = all.first(where: { $0.name == name }) else { return nil }
        self = fate
    }
}

/// The reason why a packet was dropped.
public enum DropReason: Hashable, Sendable {
    /// The loss model, outside a burst: random loss, or an isolated loss of a chain.
    case randomLoss
    /// The loss model, in a burst: the bad state of Gilbert-Elliott, or state 3 of the four-state chain.
    case burstLoss
    /// The buffer at the bottleneck was full.
    case queueFull
    /// The management of the queue at the bottleneck wanted the sender to slow down.
    case queueManagement
    /// The buffer at the bottleneck was full while a step of the schedule held packets back.
    case outage
    /// The link held its maximum of packets or memory. This is not an impairment of the profile.
    case memory
    /// The kernel refused the frame: write(2) failed.
    case refused
    /// The link was stopped while it held the packet.
    case stopped
    /// A step of the scenario dropped all packets that the link held.
    case step
    /// The link was down.
    case linkDown
    /// The packet's address on the host's side is not one of the host's present addresses.
    case oldAddress
    /// The network carries no IPv6.
    case noIPv6
    /// The network's address translator has no mapping for the packet, or its filtering does not let the packet in.
    case noMapping
    /// A fault of the profile.
    case fault(FaultMark)

    /// All reasons except faults.
    package static let plain: [DropReason] = [
        .randomLoss, .burstLoss, .queueFull, .outage, .memory, .refused, .stopped, .step, .linkDown, .oldAddress,
        .noIPv6, .noMapping, .queueManagement,
    ]

    /// A pump's counters of drops: one for each reason in the order of `plain`, and one for all faults. A test checks
    /// that the number is right.
    package typealias Counters = InlineArray<14, UInt64>

    /// The index of this reason's counter.
    package var counter: Int {
        switch self {
        case .randomLoss: 0
        case .burstLoss: 1
        case .queueFull: 2
        case .outage: 3
        case .memory: 4
        case .refused: 5
        case .stopped: 6
        case .step: 7
        case .linkDown: 8
        case .oldAddress: 9
        case .noIPv6: 10
        case .noMapping: 11
        case .queueManagement: 12
        case .fault: 13
        }
    }

    /// The reason's name in logs and reports: the name of the case, or "fault 2: reset" for a fault.
    public var name: String {
        if case .fault(let mark) = self { mark.name } else { "\(self)" }
    }

    /// The reason's name without a space.
    package var word: String {
        if case .fault(let mark) = self { mark.word } else { name }
    }

    /// The reason in text for people: "random loss".
    package var words: String {
        switch self {
        case .noIPv6: "no IPv6"
        case .fault(let mark): "fault \(mark.number): \("\(mark.effect)".spaced)"
        default: name.spaced
        }
    }

    /// Reads a reason from its name; nil for an unknown name.
    public init?(name: some StringProtocol) {
        guard let reason = Self.plain.first(where: { $0.name == name }) ?? FaultMark(name: name).map(Self.fault) else {
            return nil
        }
        self = reason
    }
}

extension Optional<DropReason> {
    /// The reason's name in logs, captures and reports; "unknown" for nil.
    public var name: String { self?.name ?? "unknown" }
    /// The reason in text for people: "random loss"; "unknown" for nil.
    package var words: String { self?.words ?? "unknown" }
}

extension String {
    /// The name of a case as words: "random loss" for "randomLoss".
    fileprivate var spaced: String { reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : "\($1)" } }
}
