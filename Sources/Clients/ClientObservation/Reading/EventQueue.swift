// SPDX-License-Identifier: Apache-2.0

/// What happened to a packet at a moment.
protocol PacketEvent {
    /// In nanoseconds since 1970.
    var time: Int64 { get }
    /// The packet's number in the capture, which orders what happened at one moment.
    var number: UInt32 { get }
}

extension PacketEvent {
    func isBefore(_ other: some PacketEvent) -> Bool { (time, number) < (other.time, other.number) }
}

/// Puts events into order that come in streams which are mostly in order already.
struct EventQueue<Event: PacketEvent> {
    /// Events in order, of which the first have been handed out.
    private struct Stream {
        var events: [Event] = []
        var head = 0

        var first: Event? { head < events.count ? events[head] : nil }

        mutating func removeFirst() {
            head += 1
            if head == events.count {
                events.removeAll(keepingCapacity: head < 1 << 12)
                head = 0
            } else if head >= 1 << 10, head * 2 >= events.count {
                events.removeSubrange(..<head)
                head = 0
            }
        }
    }

    private var streams: [Stream]
    /// The other events: a binary heap, the earliest first.
    private var heap: [Event] = []
    private(set) var count = 0

    /// - Parameter streams: how many there are.
    init(streams: Int) { self.streams = Array(repeating: Stream(), count: streams) }

    /// Adds an event of a stream.
    mutating func add(_ event: Event, stream: Int = 0) {
        count += 1
        guard let last = streams[stream].events.last, event.isBefore(last) else {
            return streams[stream].events.append(event)
        }
        heap.append(event)
        var index = heap.count - 1
        while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// The earliest event; nil without one.
    var first: Event? { earliest?.event }

    /// Removes the earliest event, if it is before this time.
    mutating func next(before limit: Int64) -> Event? {
        guard let (event, stream) = earliest, event.time < limit else { return nil }
        if let stream { streams[stream].removeFirst() } else { removeFirstOfHeap() }
        count -= 1
        return event
    }

    /// The earliest event, with its stream; nil for the heap.
    private var earliest: (event: Event, stream: Int?)? {
        guard count > 0 else { return nil }
        var found = heap.first.map { (event: $0, stream: Int?.none) }
        for index in streams.indices {
            guard let event = streams[index].first else { continue }
            if let known = found?.event, !event.isBefore(known) { continue }
            found = (event, index)
        }
        return found
    }

    private mutating func removeFirstOfHeap() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].isBefore(heap[least]) {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
