// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// The acknowledgements of a modelled TCP flow that are on their way to the sender: of every second packet (RFC 5681,
/// section 4.2), as Linux' receivers send them to a sender of Linux.
///
/// A sender of Linux gives two full packets at a time to the network, and sets PSH on the second; a receiver whose reader has
/// taken everything acknowledges that one at once. So packets stay in pairs, and meet a full queue in pairs.
struct Receiver: Sendable {
    struct Acknowledgement: Sendable {
        var time: Int64
        /// The last packet that it is for, and when it was sent.
        let number: UInt64
        let sent: Int64
        let isMarked: Bool
        var count = 1
    }

    private var sent: Deque<Acknowledgement> = []
    /// Of a packet after which the receiver waits for another one; its time is that of its last moment.
    private var delayed: Acknowledgement?
    /// The packet before, if another one that was sent together with it is the second of a pair.
    private var first: (number: UInt64, sent: Int64)?

    /// Linux' shortest delay of an acknowledgement.
    private static let delay: Int64 = 40_000_000

    /// The time of the next acknowledgement; `Int64.max` for none.
    var nextTime: Int64 { min(sent.first?.time ?? .max, delayed?.time ?? .max) }

    /// When the oldest packet was sent of those that have arrived, but are not acknowledged.
    var oldestSent: Int64? { sent.first?.sent ?? delayed?.sent }

    /// Receives a packet, whose acknowledgement can be back at its time.
    ///
    /// - Parameter isAcknowledgedAtOnce: for a reason that others know, such as a missing packet.
    mutating func receive(_ packet: Acknowledgement, isAcknowledgedAtOnce: Bool) {
        var packet = packet
        if let waiting = delayed, waiting.time < packet.time {
            sent.append(waiting)
            delayed = nil
        }
        let isSecond = first.map { $0.number + 1 == packet.number && $0.sent == packet.sent } ?? false
        first = isSecond ? nil : (packet.number, packet.sent)
        if delayed == nil, !isSecond, !isAcknowledgedAtOnce {
            packet.time += Self.delay
            return delayed = packet
        }
        packet.count += delayed == nil ? 0 : 1
        delayed = nil
        sent.append(packet)
    }

    /// Removes the acknowledgement that has come to the sender by `now`.
    mutating func removeFirst(at now: Int64) -> Acknowledgement? {
        guard nextTime <= now else { return nil }
        guard let waiting = delayed, waiting.time < sent.first?.time ?? .max else { return sent.removeFirst() }
        delayed = nil
        return waiting
    }
}
