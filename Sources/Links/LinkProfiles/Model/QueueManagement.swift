// SPDX-License-Identifier: Apache-2.0

/// How the queue at the bottleneck decides which packets to send, mark and drop. An absent parameter has the default of
/// the discipline's document.
public struct QueueManagement: Hashable, Sendable {
    /// A queue discipline.
    public enum Discipline: String, CaseIterable, Sendable {
        /// A full queue drops the packet that arrives.
        case dropTail = "drop-tail"
        /// A full queue drops its oldest packet.
        case dropHead = "drop-head"
        /// RFC 8289.
        case codel
        /// RFC 8290: a CoDel queue for each flow.
        case fqCodel = "fq_codel"
        /// RFC 8033.
        case pie
        /// Flow isolation and COBALT of tc-cake(8), without its shaper.
        case cake
        /// RFC 9332.
        case dualPI2 = "dualpi2"
    }

    /// The discipline.
    public var discipline: Discipline
    /// The acceptable delay in the queue.
    public var target: Duration?
    /// CoDel: the time for which the delay must exceed the target before the first drop.
    public var interval: Duration?
    /// The bytes that a flow may send in a round.
    public var quantum: Int?
    /// The number of flows that are told apart.
    public var flows: Int?
    /// PIE and DualPI2: the interval at which the probability is updated.
    public var update: Duration?
    /// PIE: the length of a burst without drops.
    public var burst: Duration?
    /// DualPI2: the delay in the low-latency queue above which each packet is marked.
    public var step: Duration?
    /// DualPI2: the factor from the classic queue's base probability to that of the low-latency queue.
    public var coupling: Double?

    /// Makes management by `discipline`, with the parameters of its document.
    public init(_ discipline: Discipline) { self.discipline = discipline }

    /// Whether the queue is one FIFO that drops arrivals when it is full, as without management.
    public var isDropTail: Bool { discipline == .dropTail }

    /// Whether the discipline marks packets.
    public var marks: Bool { discipline != .dropTail && discipline != .dropHead }
}
