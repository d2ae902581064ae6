// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A queue that drops or marks arrivals with a probability that follows the delay: PIE (RFC 8033), with the details of Linux
/// (sch_pie.c): the delay is that of the last packet that left, drops are spread by an accumulated probability, and the
/// probability may exceed 1.
struct PIEQueue: QueueDiscipline {
    private var packets = HeldPacketQueue()
    private(set) var bytes = 0

    private let target: Int64
    private let update: Int64
    private let burst: Int64
    private let marks: Bool
    private let random: UInt64
    private var drawn: UInt64 = 0

    /// The probability of a drop, and the sum of the probabilities since the last one.
    private(set) var probability = 0.0
    private var accumulated = 0.0
    private var delay: Int64 = 0
    private var lastDelay: Int64 = 0
    /// What is left of the burst that passes without drops.
    private var burstLeft: Int64
    private var lastDequeue: Int64?
    private var nextUpdate: Int64?

    /// Makes an empty queue, whose random numbers are those of the seed `random`.
    init(_ management: QueueManagement, marks: Bool, random: UInt64) {
        target = (management.target ?? .milliseconds(15)).nanoseconds
        update = max((management.update ?? .milliseconds(15)).nanoseconds, 1)
        burst = (management.burst ?? .milliseconds(150)).nanoseconds
        burstLeft = burst
        self.marks = marks
        self.random = random
    }

    var count: Int { packets.count }

    mutating func enqueue(_ packet: HeldPacket, _ capacity: QueueCapacity, _ dropped: inout DroppedPackets) {
        advance(to: packet.time)
        guard !isFull(for: packet, capacity) else {
            accumulated = 0
            return dropped.drop(packet, at: packet.time, capacity.fullReason)
        }
        var packet = packet
        if decides() {
            // Above 10 %, a sender that answers to marks would not slow down enough: section 5.1.
            guard marks, packet.ecn != .none, probability <= 0.1 else {
                accumulated = 0
                return dropped.drop(packet, at: packet.time, .management)
            }
            packet.isMarked = true
        }
        packets.append(packet)
        bytes += Int(packet.bytes)
    }

    /// Whether the packet that comes is to be dropped or marked: section 4.1.
    private mutating func decides() -> Bool {
        guard burstLeft <= 0 else { return false }
        if delay < target / 2, probability < 0.2 { return false }
        if bytes < 2 * Frame.fullSizeBytes { return false }
        accumulated = probability == 0 ? 0 : accumulated + probability
        if accumulated < 0.85 { return false }
        if accumulated < 8.5 {
            let number = SplitMix64.value(seed: random, index: drawn)
            drawn &+= 1
            guard Double(number >> 11) * 0x1p-53 < probability else { return false }
        }
        accumulated = 0
        return true
    }

    mutating func dequeue(at now: Int64, _ dropped: inout DroppedPackets) -> HeldPacket? {
        advance(to: now)
        guard !packets.isEmpty else { return nil }
        let packet = packets.removeFirst()
        bytes -= Int(packet.bytes)
        delay = packets.isEmpty ? 0 : now - packet.time
        if let lastDequeue { burstLeft = max(burstLeft - (now - lastDequeue), 0) }
        lastDequeue = now
        return packet
    }

    /// Makes the updates of the probability that are due.
    private mutating func advance(to now: Int64) {
        guard var next = nextUpdate else { return nextUpdate = now + update }
        while next <= now {
            if probability == 0, delay == 0, lastDelay == 0 {
                // Nothing changes until a packet has waited.
                next += ((now - next) / update + 1) * update
                rest()
                break
            }
            updateProbability()
            next += update
        }
        nextUpdate = next
    }

    /// Section 4.2, with the steps of the gain of Linux.
    private mutating func updateProbability() {
        // A delay that could not be measured.
        let isUnknown = delay == 0 && bytes > 0
        var (alpha, beta) = (0.125, 1.25)
        if probability < 0.1 {
            (alpha, beta) = (alpha / 2, beta / 2)
            var power = 100.0
            while probability < 1 / power, power <= 1_000_000 {
                (alpha, beta, power) = (alpha / 4, beta / 4, power * 10)
            }
        }
        var change = alpha * Self.seconds(delay - target) + beta * Self.seconds(delay - lastDelay)
        if change > 0.02, probability >= 0.1 { change = 0.02 }
        // Congestion that the steps above would follow too slowly.
        if delay > 250_000_000 { change += 0.02 }
        // Linux counts on above 1, up to 2^8: after long congestion, drops go on for longer than by the RFC.
        probability = min(max(probability + change, 0), 256)
        if delay == 0, lastDelay == 0, !isUnknown {
            probability -= probability / 64
            // Linux counts in 2^-56.
            if probability < 0x1p-56 { probability = 0 }
        }
        let isIdle = delay < target / 2 && lastDelay < target / 2 && probability == 0
        lastDelay = delay
        if isIdle { rest() }
    }

    /// Allows a burst again: section 4.4. The time until the next packet leaves is no part of it.
    private mutating func rest() {
        (burstLeft, accumulated, lastDequeue) = (burst, 0, nil)
    }

    private static func seconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e9 }
}
