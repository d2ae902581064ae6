// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The queue of a discipline. An enumeration, so that no packet waits for a dynamic call.
enum ManagedQueue: Sendable {
    case fifo(FIFOQueue)
    case codel(CoDelQueue)
    case flows(FlowQueueCoDel)
    case pie(PIEQueue)
    case cake(CakeQueue)
    case dual(DualPI2Queue)
    /// While a queue is changed: a second reference to its packets would copy them.
    case moved

    /// Makes an empty queue.
    ///
    /// - Parameters:
    ///   - marks: whether packets are marked that allow it.
    ///   - random: the seed of the queue's random numbers.
    init(_ management: QueueManagement, marks: Bool, random: UInt64) {
        switch management.discipline {
        case .dropTail: self = .fifo(FIFOQueue(dropsHead: false))
        case .dropHead: self = .fifo(FIFOQueue(dropsHead: true))
        case .codel: self = .codel(CoDelQueue(management, marks: marks))
        case .fqCodel: self = .flows(FlowQueueCoDel(management, marks: marks))
        case .pie: self = .pie(PIEQueue(management, marks: marks, random: random))
        case .cake: self = .cake(CakeQueue(management, marks: marks, random: random))
        case .dualPI2: self = .dual(DualPI2Queue(management, marks: marks))
        }
    }

    /// Adds a packet that comes now, and drops it or others instead.
    ///
    /// - Parameter sent: the bytes of the packet that the link sends. It has a part of a plain queue's capacity; that of a
    ///   managed queue is without it, as that of Linux' queues.
    mutating func enqueue(
        _ packet: HeldPacket,
        _ capacity: QueueCapacity,
        sending sent: Int?,
        _ dropped: inout DroppedPackets
    ) {
        let queue = self
        self = .moved
        switch consume queue {
        case .fifo(var queue):
            queue.enqueue(packet, capacity, sending: sent, &dropped)
            self = .fifo(queue)
        case .codel(var queue):
            queue.enqueue(packet, capacity, &dropped)
            self = .codel(queue)
        case .flows(var queue):
            queue.enqueue(packet, capacity, &dropped)
            self = .flows(queue)
        case .pie(var queue):
            queue.enqueue(packet, capacity, &dropped)
            self = .pie(queue)
        case .cake(var queue):
            queue.enqueue(packet, capacity, &dropped)
            self = .cake(queue)
        case .dual(var queue):
            queue.enqueue(packet, capacity, &dropped)
            self = .dual(queue)
        case .moved: preconditionFailure("a queue is changed while it is changed")
        }
    }

    mutating func dequeue(at now: Int64, _ dropped: inout DroppedPackets) -> HeldPacket? {
        let queue = self
        self = .moved
        switch consume queue {
        case .fifo(var queue):
            let next = queue.dequeue(at: now, &dropped)
            self = .fifo(queue)
            return next
        case .codel(var queue):
            let next = queue.dequeue(at: now, &dropped)
            self = .codel(queue)
            return next
        case .flows(var queue):
            let next = queue.dequeue(at: now, &dropped)
            self = .flows(queue)
            return next
        case .pie(var queue):
            let next = queue.dequeue(at: now, &dropped)
            self = .pie(queue)
            return next
        case .cake(var queue):
            let next = queue.dequeue(at: now, &dropped)
            self = .cake(queue)
            return next
        case .dual(var queue):
            let next = queue.dequeue(at: now, &dropped)
            self = .dual(queue)
            return next
        case .moved: preconditionFailure("a queue is changed while it is changed")
        }
    }
}
