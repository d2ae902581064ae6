// SPDX-License-Identifier: Apache-2.0

/// The kind of a queueing discipline with its options, as far as this module encodes and decodes them.
public enum QdiscKind: Hashable, Sendable {
    /// tc-netem(8).
    case netem(Netem)
    /// tc-tbf(8).
    case tokenBucket(TokenBucket)
    /// tc-prio(8).
    case priorityBands(PriorityBands)
    /// Hooks for filters of received and sent packets, without a queue.
    case clsact
    /// Any other kind: its name, and its encoded options.
    case other(String, options: [UInt8])

    /// The kernel's name of the kind.
    public var name: String {
        switch self {
        case .netem: "netem"
        case .tokenBucket: "tbf"
        case .priorityBands: "prio"
        case .clsact: "clsact"
        case .other(let name, _): name
        }
    }
}
