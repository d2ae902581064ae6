// SPDX-License-Identifier: Apache-2.0

/// What a queueing discipline is and how it is set, as far as this module can write and read it.
public enum QdiscKind: Hashable, Sendable {
    /// tc-netem(8).
    case netem(Netem)
    /// tc-tbf(8).
    case tokenBucket(TokenBucket)
    /// Classifying hooks for packets that arrive and that leave; it queues nothing.
    case clsact
    /// The kind by name and its options as the kernel gave them.
    case other(String, options: [UInt8])

    /// The kernel's name of the kind.
    public var name: String {
        switch self {
        case .netem: "netem"
        case .tokenBucket: "tbf"
        case .clsact: "clsact"
        case .other(let name, _): name
        }
    }
}
