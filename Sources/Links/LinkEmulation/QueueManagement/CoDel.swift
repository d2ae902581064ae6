// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The state of CoDel (RFC 8289) for one queue, with the details of Linux (include/net/codel_impl.h): a queue of at most one
/// packet never drops, a new dropping state soon after the last one goes on near its rate, and the square root of the
/// control law is approximated.
struct CoDel: Sendable {
    /// The parameters, which all queues of a discipline share.
    struct Parameters: Sendable {
        var target: Int64
        var interval: Int64
        var marks: Bool
        /// A queue with at most this many bytes is not too long (a full-size frame).
        var smallestQueue = Frame.fullSizeBytes

        init(_ management: QueueManagement, marks: Bool) {
            target = (management.target ?? .milliseconds(5)).nanoseconds
            interval = (management.interval ?? .milliseconds(100)).nanoseconds
            self.marks = marks
        }
    }

    /// The number of drops in this dropping state, which sets their rate, and its value when the state began; 0 before the
    /// first one.
    private(set) var count: UInt32 = 0
    private var countAtStart: UInt32 = 0
    /// The reciprocal of the square root of `count`, in 2^-16.
    private var inverseRoot: UInt64 = largestInverseRoot
    private(set) var isDropping = false
    /// The time at which the delay will have exceeded the target for an interval; nil while it does not exceed it.
    private var firstAbove: Int64?
    private(set) var nextDrop: Int64 = 0

    private static let largestInverseRoot: UInt64 = 0xFFFF

    /// Notes drops for want of room, which are a signal of congestion, too.
    mutating func noteDrops(_ number: Int) { count &+= UInt32(truncatingIfNeeded: number) }

    /// Removes and returns the next packet to send; nil if the queue is empty.
    ///
    /// - Parameter remove: removes the first packet from the queue, and returns it with the bytes that are left.
    mutating func dequeue(
        at now: Int64,
        _ parameters: Parameters,
        _ dropped: inout DroppedPackets,
        _ remove: () -> (packet: HeldPacket, bytesLeft: Int)?
    ) -> HeldPacket? {
        guard var next = remove() else {
            // The time above the target goes on, as in Linux: one queue of many may be empty for a moment.
            isDropping = false
            return nil
        }
        let isTooLate = isTooLate(next, now, parameters)
        if isDropping {
            if !isTooLate { isDropping = false }
            while isDropping, now >= nextDrop {
                count &+= 1
                improveInverseRoot()
                if mark(&next.packet, parameters) {
                    nextDrop = time(after: nextDrop, parameters)
                    break
                }
                dropped.drop(next.packet, at: now, .management)
                guard let following = remove() else {
                    (isDropping, firstAbove) = (false, nil)
                    return nil
                }
                next = following
                if self.isTooLate(next, now, parameters) {
                    nextDrop = time(after: nextDrop, parameters)
                } else {
                    isDropping = false
                }
            }
        } else if isTooLate {
            if !mark(&next.packet, parameters) {
                dropped.drop(next.packet, at: now, .management)
                guard let following = remove() else {
                    firstAbove = nil
                    begin(at: now, parameters)
                    return nil
                }
                next = following
                _ = self.isTooLate(next, now, parameters)
            }
            begin(at: now, parameters)
        }
        return next.packet
    }

    /// Begins to drop: RFC 8289, section 5.4, with the conditions of Linux for going on near the last rate.
    private mutating func begin(at now: Int64, _ parameters: Parameters) {
        isDropping = true
        let drops = count &- countAtStart
        // Drops for want of room raise `count` before the first state, too, which has no last rate. Without this condition,
        // its rate would depend on the zero of the clock, as it does in Linux.
        if countAtStart > 0, drops > 1, now - nextDrop < 16 * parameters.interval {
            count = drops
            improveInverseRoot()
        } else {
            (count, inverseRoot) = (1, Self.largestInverseRoot)
        }
        countAtStart = count
        nextDrop = time(after: now, parameters)
    }

    /// Whether the delay has exceeded the target for an interval.
    private mutating func isTooLate(
        _ next: (packet: HeldPacket, bytesLeft: Int),
        _ now: Int64,
        _ parameters: Parameters
    ) -> Bool {
        guard now - next.packet.time >= parameters.target, next.bytesLeft > parameters.smallestQueue else {
            firstAbove = nil
            return false
        }
        guard let firstAbove else {
            self.firstAbove = now + parameters.interval
            return false
        }
        return now > firstAbove
    }

    private func mark(_ packet: inout HeldPacket, _ parameters: Parameters) -> Bool {
        guard parameters.marks, packet.ecn != .none else { return false }
        packet.isMarked = true
        return true
    }

    /// The control law: the time between drops falls with the square root of their number.
    private func time(after time: Int64, _ parameters: Parameters) -> Int64 {
        time + Int64((UInt64(parameters.interval) * inverseRoot) >> 16)
    }

    /// Makes the one step of Newton's method that Linux makes after each change of `count`. It is exact enough while `count`
    /// grows from drop to drop; where it falls at once, to a new dropping state, the first drops come sooner.
    private mutating func improveInverseRoot() {
        let root = inverseRoot << 16
        // Wraps as there, where drops for want of room have raised `count` by many at once.
        let step = (3 << 32) &- UInt64(count) &* ((root * root) >> 32)
        inverseRoot = ((((step >> 2) &* root) >> 31) >> 16) & Self.largestInverseRoot
    }
}
