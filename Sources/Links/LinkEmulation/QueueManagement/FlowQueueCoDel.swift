// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A CoDel queue for each flow, served in turn, new flows first: RFC 8290, with the details of Linux (sch_fq_codel.c).
struct FlowQueueCoDel: QueueDiscipline {
    private struct Flow: Sendable {
        var packets = HeldPacketQueue()
        var bytes = 0
        var state = CoDel()
        var deficit = 0
        var isListed = false
    }

    private var flows: [Flow]
    private var new = IndexQueue()
    private var old = IndexQueue()
    private(set) var count = 0
    private(set) var bytes = 0
    private let quantum: Int
    private let parameters: CoDel.Parameters

    /// The most packets that are dropped at once when there is no room: sch_fq_codel's drop_batch_size.
    private static let dropBatch = 64

    init(_ management: QueueManagement, marks: Bool) {
        flows = Array(repeating: Flow(), count: max(management.flows ?? 1024, 1))
        quantum = max(management.quantum ?? Frame.fullSizeBytes, 1)
        parameters = CoDel.Parameters(management, marks: marks)
    }

    mutating func enqueue(_ packet: HeldPacket, _ capacity: QueueCapacity, _ dropped: inout DroppedPackets) {
        let index = Int(packet.flow) % flows.count
        flows[index].packets.append(packet)
        flows[index].bytes += Int(packet.bytes)
        count += 1
        bytes += Int(packet.bytes)
        if !flows[index].isListed {
            flows[index].isListed = true
            flows[index].deficit = quantum
            new.append(index)
        }
        // The queue takes the packet first, and may drop others for it.
        if count > 1, count > capacity.packets || bytes > capacity.bytes {
            dropFromLongest(at: packet.time, capacity, &dropped)
        }
    }

    /// Drops the oldest packets of the flow with most bytes: half of them, at most `dropBatch` packets, and as many as
    /// the capacity demands.
    private mutating func dropFromLongest(at now: Int64, _ capacity: QueueCapacity, _ dropped: inout DroppedPackets) {
        repeat {
            guard let index = flows.indices.max(by: { flows[$0].bytes < flows[$1].bytes }) else { return }
            let enough = flows[index].bytes / 2
            var (number, size) = (0, 0)
            repeat {
                let packet = removeFirst(of: index)
                size += Int(packet.bytes)
                number += 1
                dropped.drop(packet, at: now, capacity.fullReason)
            } while number < Self.dropBatch && size < enough && !flows[index].packets.isEmpty
            flows[index].state.noteDrops(number)
        } while count > 1 && (count > capacity.packets || bytes > capacity.bytes)
    }

    private mutating func removeFirst(of index: Int) -> HeldPacket {
        let packet = flows[index].packets.removeFirst()
        flows[index].bytes -= Int(packet.bytes)
        count -= 1
        bytes -= Int(packet.bytes)
        return packet
    }

    mutating func dequeue(at now: Int64, _ dropped: inout DroppedPackets) -> HeldPacket? {
        while let index = new.first ?? old.first {
            let isNew = !new.isEmpty
            guard flows[index].deficit > 0 else {
                flows[index].deficit += quantum
                _ = isNew ? new.removeFirst() : old.removeFirst()
                old.append(index)
                continue
            }
            // A copy of the state: the closure changes the flow's queue.
            var state = flows[index].state
            let next = state.dequeue(at: now, parameters, &dropped) {
                guard !flows[index].packets.isEmpty else { return nil }
                // Linux compares the bytes of all flows with a frame.
                return (removeFirst(of: index), bytes)
            }
            flows[index].state = state
            if let next {
                flows[index].deficit -= Int(next.bytes)
                return next
            }
            // An empty new flow passes once through the old ones, so that it cannot starve them.
            _ = isNew ? new.removeFirst() : old.removeFirst()
            if isNew, !old.isEmpty { old.append(index) } else { flows[index].isListed = false }
        }
        return nil
    }
}
