// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Two coupled queues: classic senders wait at the target delay, scalable ones (ECT(1)) hardly at all. RFC 9332, appendix A,
/// with the parameters of its section 2.5.1, and a credit scheduler that gives classic packets at least a tenth.
struct DualPI2Queue: QueueDiscipline {
    private var classic = HeldPacketQueue()
    private var scalable = HeldPacketQueue()
    private(set) var bytes = 0

    private let target: Int64
    private let update: Int64
    private let step: Int64
    private let coupling: Double
    private let marks: Bool

    /// The base probability: classic packets have its square, scalable ones `coupling` times it.
    private(set) var base = 0.0
    private var lastDelay: Int64 = 0
    private var nextUpdate: Int64?
    /// The sums of the probabilities since the last mark or drop: marks are spread evenly (`recur`).
    private var classicSum = 0.0
    private var scalableSum = 0.0
    /// The bytes by which the scalable queue is ahead, weighted.
    private var credit = 0

    /// The gains of the PI controller, per second.
    private static let alpha = 0.16
    private static let beta = 3.2
    /// The probability of classic drops at which both queues drop: overload.
    private static let overload = 0.25
    /// The share of the classic queue in percent.
    private static let classicShare = 10

    init(_ management: QueueManagement, marks: Bool) {
        target = (management.target ?? .milliseconds(15)).nanoseconds
        update = max((management.update ?? .milliseconds(16)).nanoseconds, 1)
        step = (management.step ?? .milliseconds(1)).nanoseconds
        coupling = management.coupling ?? 2
        self.marks = marks
    }

    var count: Int { classic.count + scalable.count }

    mutating func enqueue(_ packet: HeldPacket, _ capacity: QueueCapacity, _ dropped: inout DroppedPackets) {
        advance(to: packet.time)
        guard !isFull(for: packet, capacity) else { return dropped.drop(packet, at: packet.time, capacity.fullReason) }
        bytes += Int(packet.bytes)
        if marks, packet.ecn.isScalable { scalable.append(packet) } else { classic.append(packet) }
    }

    mutating func dequeue(at now: Int64, _ dropped: inout DroppedPackets) -> HeldPacket? {
        advance(to: now)
        while count > 0 {
            let isScalable = choosesScalable
            var packet = isScalable ? scalable.removeFirst() : classic.removeFirst()
            bytes -= Int(packet.bytes)
            let weight = isScalable ? Self.classicShare : -(100 - Self.classicShare)
            credit = classic.isEmpty || scalable.isEmpty ? 0 : credit + weight * Int(packet.bytes)
            if isScalable ? keepsScalable(&packet, now) : keepsClassic(&packet) { return packet }
            dropped.drop(packet, at: now, .management)
        }
        return nil
    }

    private var choosesScalable: Bool {
        guard !classic.isEmpty else { return true }
        return !scalable.isEmpty && credit <= 0
    }

    /// Marks a scalable packet, or returns false to drop it.
    private mutating func keepsScalable(_ packet: inout HeldPacket, _ now: Int64) -> Bool {
        let isOverloaded = base * base >= Self.overload
        if isOverloaded, Self.recurs(&scalableSum, base * base) { return false }
        let own = now - packet.time > step ? 1.0 : 0
        if isOverloaded {
            packet.isMarked = true
        } else if Self.recurs(&scalableSum, max(own, min(coupling * base, 1))) {
            packet.isMarked = true
        }
        return true
    }

    /// Marks a classic packet where it allows that, or returns false to drop it.
    private mutating func keepsClassic(_ packet: inout HeldPacket) -> Bool {
        guard Self.recurs(&classicSum, min(base * base, 1)) else { return true }
        guard marks, packet.ecn != .none, base * base < Self.overload else { return false }
        packet.isMarked = true
        return true
    }

    /// Whether the event of this probability occurs now: each time the sum of the probabilities passes 1.
    private static func recurs(_ sum: inout Double, _ probability: Double) -> Bool {
        sum += probability
        guard sum >= 1 else { return false }
        sum -= 1
        return true
    }

    /// Makes the updates of the probability that are due.
    private mutating func advance(to now: Int64) {
        guard var next = nextUpdate else { return nextUpdate = now + update }
        while next <= now {
            let delay = [classic.first, scalable.first].compactMap { $0.map { next - $0.time } }.max() ?? 0
            if base == 0, delay <= 0, lastDelay == 0 {
                next += ((now - next) / update + 1) * update
                break
            }
            let change =
                Self.alpha * Self.seconds(max(delay, 0) - target) + Self.beta * Self.seconds(max(delay, 0) - lastDelay)
            base = min(max(base + change, 0), 1)
            lastDelay = max(delay, 0)
            next += update
        }
        nextUpdate = next
    }

    private static func seconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e9 }
}
