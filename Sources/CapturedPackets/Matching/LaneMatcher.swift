// SPDX-License-Identifier: Apache-2.0

/// Finds out what lanes of the kernel did to packets, from sightings of each as it entered a lane and as it left it.
///
/// netem does not report which packet it lost. One that does not come out within the longest time that a lane holds packets
/// was dropped; that is known only then, and not why. What comes out is the same but for one bit if it was corrupted, and
/// comes out once more if it was duplicated.
///
/// Packets are given out in the order in which the host saw them: those that it sent by the time at which they entered,
/// those that it received by the time at which they left, those that were dropped by the time at which they entered.
/// Duplicates come when they left. What a lane has marked or corrupted is given out with the bytes with which it left.
public struct LaneMatcher {
    /// A lane.
    public struct Lane: Hashable, Sendable {
        /// Its name in fates: `uplink`, `downlink` or `dns`.
        public var name: String
        /// Whether the host sends its packets, and does not receive them.
        public var isSent: Bool

        /// Describes a lane.
        public init(_ name: String, isSent: Bool) {
            self.name = name
            self.isSent = isSent
        }
    }

    /// Reasons in fates.
    public enum Reason {
        /// The kernel does not tell loss from a full queue.
        public static let unknown = "unknown"
        /// The capture ended while the packet was in the lane.
        public static let end = "end"
        /// The capture has missed packets, or had no room for all.
        public static let missed = "missed"
    }

    /// How long after the longest stay a packet is waited for, in nanoseconds: the kernel may be late.
    static let grace: Int64 = 2_000_000_000
    /// The same at the end, for packets that were about to leave.
    static let graceAtEnd: Int64 = 100_000_000

    private var lanes: [Int: Lane] = [:]
    private var entries = LaneEntries()
    private var order: TimeOrder<CapturedPacket>
    /// The delay by which a packet is told from others with the same bytes: that of the last one that had none such.
    private var delays: [Int: Int64] = [:]
    private var longestStay: Int64 = 0
    private var lastEntry = Int64.min
    private let limit: Int
    private let linkType: CapturedInterface.LinkType

    /// Makes a matcher that has seen nothing.
    ///
    /// - Parameter limit: the bytes of packets to remember; beyond it the fates of the earliest are told as not known.
    public init(_ linkType: CapturedInterface.LinkType = .ethernet, limit: Int = 64 << 20) {
        self.linkType = linkType
        self.limit = limit
        order = TimeOrder(limit: limit)
    }

    /// Describes the lane whose packets have this interface.
    public mutating func add(_ lane: Lane, interface: Int) { lanes[interface] = lane }

    /// Notes the delay that a lane is to give packets from now on, in nanoseconds.
    public mutating func expect(delay: Int64, interface: Int) { delays[interface] = delay }

    /// Notes the longest time that an accepted packet stays in a lane, in nanoseconds. A shorter one than before changes
    /// nothing: packets of then may not have been seen yet.
    public mutating func allow(stay: Int64) { longestStay = max(longestStay, min(stay, 1 << 60)) }

    /// A packet has entered a lane.
    public mutating func enter(_ sighting: PacketSighting) {
        lastEntry = max(lastEntry, sighting.packet.time)
        entries.append(
            LaneEntry(
                sighting: sighting,
                image: PacketImage(sighting.packet, linkType),
                arrival: order.arrive(at: lastEntry, count: 1),
                deadline: lastEntry + longestStay + Self.grace
            )
        )
        while entries.size > limit, let entry = entries.removeFirst() { end(entry, .unknown, Reason.missed) }
    }

    /// A packet has left a lane.
    public mutating func leave(_ sighting: PacketSighting) {
        let image = PacketImage(sighting.packet, linkType)
        let lane = sighting.packet.interface
        let expected = sighting.packet.time - (delays[lane] ?? 0)
        if let number = entries.waiting(image.key, lane, enteredAt: expected) {
            let before = entries[number]
            let outcome = before.image.outcome(
                of: image,
                hasFinalChecksums: (before.sighting.hasFinalChecksums, sighting.hasFinalChecksums)
            )
            pass(number, sighting, outcome)
        } else if let number = entries.last(image.key, lane) {
            give(sighting.packet, .duplicate, delay: sighting.packet.time - entries[number].sighting.packet.time)
        } else if sighting.hasFinalChecksums, leaveCorrupted(sighting, image, enteredAt: expected) {
            // netem computes the checksums before it changes a bit.
        } else {
            // Its entry was missed.
            give(sighting.packet, .passed, delay: nil)
        }
    }

    /// Finds the packet that was corrupted; false if there is none.
    private mutating func leaveCorrupted(_ after: PacketSighting, _ image: PacketImage, enteredAt time: Int64) -> Bool {
        let lane = after.packet.interface
        if let number = entries.almost(image, lane, enteredAt: time, hasLeft: false) {
            pass(number, after, .corrupted)
        } else if let number = entries.almost(image, lane, enteredAt: time, hasLeft: true) {
            give(after.packet, .duplicate, delay: after.packet.time - entries[number].sighting.packet.time)
        } else {
            return false
        }
        return true
    }

    /// A packet was seen that goes through no lane.
    public mutating func pass(_ packet: CapturedPacket) { add(packet) }

    /// Packets may have been missed: those that have not left until now may have.
    public mutating func doubt() { entries.doubt() }

    /// Whether there are packets that may still leave.
    public var isWaiting: Bool { entries.isWaiting }

    /// The next packet; nil if one may come before it whose fate is not known yet.
    ///
    /// - Parameter now: all later sightings are of this time or after it.
    public mutating func next(now: Int64) -> CapturedPacket? {
        while let first = entries.first, first.deadline < now, let entry = entries.removeFirst() { endIfWaiting(entry) }
        return order.next(now: now)
    }

    /// The capture has ended at this time. What is still to be given out follows.
    public mutating func finish(at time: Int64) -> [CapturedPacket] {
        while let entry = entries.removeFirst() {
            if entry.deadline - Self.grace + Self.graceAtEnd < time {
                endIfWaiting(entry)
            } else {
                end(entry, .unknown, Reason.end)
            }
        }
        var rest: [CapturedPacket] = []
        while let packet = order.next(now: .max) { rest.append(packet) }
        return rest
    }

    private mutating func endIfWaiting(_ entry: LaneEntry) {
        if entry.isDoubtful {
            end(entry, .unknown, Reason.missed)
        } else {
            end(entry, .dropped, Reason.unknown)
        }
    }

    /// Gives out a packet that has not left.
    private mutating func end(_ entry: LaneEntry, _ outcome: PacketFate.Outcome, _ reason: String) {
        guard !entry.hasLeft else { return }
        give(entry.sighting.packet, outcome, reason: reason, delay: nil)
        order.change(entry.arrival, by: -1)
    }

    private mutating func pass(_ number: Int, _ after: PacketSighting, _ outcome: PacketFate.Outcome) {
        let entry = entries[number]
        let before = entry.sighting.packet
        let lane = before.interface
        let delay = after.packet.time - before.time
        if entries.leave(number) { delays[lane] = delay }
        var packet = before
        // What the link has changed is shown as it was delivered.
        if outcome != .passed { packet.bytes = after.packet.bytes }
        give(lanes[lane]?.isSent == false ? after.packet : packet, outcome, delay: delay)
        order.change(entry.arrival, by: -1)
    }

    private mutating func give(
        _ packet: CapturedPacket,
        _ outcome: PacketFate.Outcome,
        reason: String? = nil,
        delay: Int64?
    ) {
        var packet = packet
        let name = lanes[packet.interface]?.name ?? "unknown"
        let fate = PacketFate(lane: name, outcome, reason: reason, due: nil, delay: delay.map { .nanoseconds($0) })
        packet.comments.append(fate.description)
        add(packet)
    }

    private mutating func add(_ packet: CapturedPacket) {
        order.add(packet, time: packet.time, size: packet.bytes.count + LaneEntry.overhead)
    }
}
