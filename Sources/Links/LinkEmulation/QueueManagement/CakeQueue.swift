// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A COBALT queue for each flow, served in turn, as tc-cake(8) does without its shaper and with one priority: sparse flows
/// first, and those whose state has not come to rest last. From Linux' sch_cake.c.
struct CakeQueue: QueueDiscipline {
    private enum Place: Sendable {
        case none, sparse, sparseWaiting, bulk, decaying
    }

    private struct Flow: Sendable {
        var packets = HeldPacketQueue()
        var bytes = 0
        var state = COBALT()
        var deficit = 0
        var place = Place.none
        /// The flow that the queue belongs to, of those whose hashes select its set.
        var tag: UInt16?
    }

    private var flows: [Flow]
    private var new = IndexQueue()
    private var old = IndexQueue()
    private var decaying = IndexQueue()
    private(set) var count = 0
    private(set) var bytes = 0
    private let quantum: Int
    private let parameters: CoDel.Parameters
    private let random: UInt64
    private var drawn: UInt64 = 0

    /// The queues that a flow's hash may select.
    private static let ways = 8

    init(_ management: QueueManagement, marks: Bool, random: UInt64) {
        let sets = max((management.flows ?? 1024) / Self.ways, 1)
        flows = Array(repeating: Flow(), count: sets * Self.ways)
        quantum = max(management.quantum ?? Frame.fullSizeBytes, 1)
        parameters = CoDel.Parameters(management, marks: marks)
        self.random = random
    }

    mutating func enqueue(_ packet: HeldPacket, _ capacity: QueueCapacity, _ dropped: inout DroppedPackets) {
        let index = self.index(of: packet.flow)
        flows[index].packets.append(packet)
        flows[index].bytes += Int(packet.bytes)
        count += 1
        bytes += Int(packet.bytes)
        switch flows[index].place {
        case .none, .decaying:
            if flows[index].place == .decaying { decaying.remove(index) }
            flows[index].place = .sparse
            flows[index].deficit = quantum
            new.append(index)
        case .sparseWaiting:
            // It came back within a round: no longer sparse.
            flows[index].place = .bulk
        case .sparse, .bulk: break
        }
        while count > 1, count > capacity.packets || bytes > capacity.bytes {
            dropFromLongest(packet.time, capacity, &dropped)
        }
    }

    /// The queue of a flow: the one that it has, else one of its set that is at rest, else an idle one, else the first.
    private mutating func index(of flow: UInt16) -> Int {
        let start = Int(flow) % (flows.count / Self.ways) * Self.ways
        let set = start..<start + Self.ways
        if let own = set.first(where: { flows[$0].tag == flow }) { return own }
        let free = set.first { flows[$0].place == .none } ?? set.first { flows[$0].place == .decaying } ?? start
        flows[free].tag = flow
        return free
    }

    private mutating func dropFromLongest(_ now: Int64, _ capacity: QueueCapacity, _ dropped: inout DroppedPackets) {
        guard let index = flows.indices.max(by: { flows[$0].bytes < flows[$1].bytes }) else { return }
        flows[index].state.noteFull(at: now, parameters)
        dropped.drop(removeFirst(of: index), at: now, capacity.fullReason)
    }

    private mutating func removeFirst(of index: Int) -> HeldPacket {
        let packet = flows[index].packets.removeFirst()
        flows[index].bytes -= Int(packet.bytes)
        count -= 1
        bytes -= Int(packet.bytes)
        return packet
    }

    mutating func dequeue(at now: Int64, _ dropped: inout DroppedPackets) -> HeldPacket? {
        guard count > 0 else { return nil }
        // The state of one idle flow decays with each packet that leaves.
        if let index = decaying.first { retire(index, at: now) }
        while count > 0, let index = new.first ?? old.first {
            guard flows[index].deficit > 0 else {
                moveToEnd(index)
                continue
            }
            if let packet = sendFirst(of: index, at: now, &dropped) {
                flows[index].deficit -= Int(packet.bytes)
                return packet
            }
            retire(index, at: now)
        }
        return nil
    }

    /// Gives a flow that has sent its share the share of the next round.
    private mutating func moveToEnd(_ index: Int) {
        if flows[index].place == .sparse {
            flows[index].place = flows[index].packets.isEmpty ? .sparseWaiting : .bulk
        }
        flows[index].deficit += quantum
        removeListed(index)
        old.append(index)
    }

    private mutating func sendFirst(of index: Int, at now: Int64, _ dropped: inout DroppedPackets) -> HeldPacket? {
        while !flows[index].packets.isEmpty {
            var packet = removeFirst(of: index)
            let number = SplitMix64.value(seed: random, index: drawn)
            drawn &+= 1
            let drops = flows[index].state.drops(&packet, at: now, parameters, random: number)
            // The last packet of a flow may be marked, but is not dropped.
            guard drops, !flows[index].packets.isEmpty else { return packet }
            dropped.drop(packet, at: now, .management)
        }
        return nil
    }

    /// Takes an empty flow out of the round, or keeps it until its state has come to rest.
    private mutating func retire(_ index: Int, at now: Int64) {
        flows[index].state.noteEmpty(at: now, parameters)
        removeListed(index)
        if flows[index].state.isActive(at: now) {
            flows[index].place = .decaying
            decaying.append(index)
        } else {
            flows[index].place = .none
        }
    }

    /// Removes the first flow of its list.
    private mutating func removeListed(_ index: Int) {
        if flows[index].place == .decaying {
            _ = decaying.removeFirst()
        } else if new.first == index {
            _ = new.removeFirst()
        } else {
            _ = old.removeFirst()
        }
    }
}
