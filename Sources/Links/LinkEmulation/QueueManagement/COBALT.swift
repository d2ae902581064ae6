// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The state of COBALT for one queue: CoDel that counts down after congestion, and BLUE for senders that do not answer.
/// From Linux' sch_cake.c; T. Høiland-Jørgensen et al., "Piece of CAKE", LANMAN 2018, section III.C.
struct COBALT: Sendable {
    private(set) var count: UInt32 = 0
    private(set) var isDropping = false
    private(set) var nextDrop: Int64 = 0
    /// Whether `count` has counted a drop. Before the first one of a queue, Linux waits for no interval: the reciprocal of the
    /// root is not yet computed.
    private var hasCounted = false
    /// The probability by BLUE, in 2^-32, and the time of its last change.
    private(set) var blue: UInt32 = 0
    private var blueTime: Int64 = .min

    private static let increase: UInt32 = 1 << 24
    private static let decrease: UInt32 = 1 << 20

    /// Notes that the queue had no room.
    mutating func noteFull(at now: Int64, _ parameters: CoDel.Parameters) {
        if isPast(blueTime, parameters.target, now) {
            blue = blue.addingReportingOverflow(Self.increase).overflow ? .max : blue + Self.increase
            blueTime = now
        }
        isDropping = true
        nextDrop = now
        if count == 0 { count = 1 }
    }

    /// Notes that the queue was empty.
    mutating func noteEmpty(at now: Int64, _ parameters: CoDel.Parameters) {
        if blue > 0, isPast(blueTime, parameters.target, now) {
            blue = blue > Self.decrease ? blue - Self.decrease : 0
            blueTime = now
        }
        isDropping = false
        if count > 0, now >= nextDrop {
            count -= 1
            hasCounted = true
            nextDrop = time(after: nextDrop, parameters)
        }
    }

    /// Whether to drop the packet that leaves now; marks it instead where it allows that.
    ///
    /// - Parameter random: a random number for BLUE.
    mutating func drops(
        _ packet: inout HeldPacket,
        at now: Int64,
        _ parameters: CoDel.Parameters,
        random: UInt64
    ) -> Bool {
        let isLate = now - packet.time > parameters.target
        var late = now - nextDrop
        var isDue = count > 0 && late >= 0
        if isLate {
            if !isDropping {
                isDropping = true
                nextDrop = time(after: now, parameters)
            }
            if count == 0 { count = 1 }
        } else {
            isDropping = false
        }
        var drops = false
        if isDue, isDropping {
            if parameters.marks, packet.ecn != .none { packet.isMarked = true } else { drops = true }
            count = count == .max ? count : count + 1
            hasCounted = true
            nextDrop = time(after: nextDrop, parameters)
            late = now - nextDrop
        } else {
            while isDue {
                count -= 1
                hasCounted = true
                nextDrop = time(after: nextDrop, parameters)
                late = now - nextDrop
                isDue = count > 0 && late >= 0
            }
        }
        if blue > 0, UInt32(truncatingIfNeeded: random >> 32) < blue { drops = true }
        // The time of the next drop is also that until which an idle queue keeps its state.
        if count == 0 { nextDrop = now + parameters.interval } else if late > 0, !drops { nextDrop = now }
        return drops
    }

    /// Whether the state differs from that of a new queue.
    func isActive(at now: Int64) -> Bool { blue > 0 || count > 0 || now < nextDrop }

    /// The control law, as CoDel's: the time between drops falls with the square root of their number.
    private func time(after time: Int64, _ parameters: CoDel.Parameters) -> Int64 {
        // Rounded to the nanosecond; a square root is the same on every machine (IEEE 754).
        guard hasCounted else { return time }
        return time + Int64((Double(parameters.interval) / Double(max(count, 1)).squareRoot()).rounded())
    }

    private func isPast(_ time: Int64, _ length: Int64, _ now: Int64) -> Bool { time == .min || now - time > length }
}
