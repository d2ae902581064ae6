// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The competing traffic of a lane: sources of packets for the bottleneck, which learn what becomes of them.
///
/// All times and sizes follow from the seed and from what happens at the bottleneck.
struct CompetingTraffic: Sendable {
    private enum Source: Sendable {
        /// Packets of this size at this distance in nanoseconds.
        case call(gap: Int64, bytes: UInt32)
        case flows(FlowStarts)
    }

    private struct Entry: Sendable {
        var source: Source
        var end: Int64
        /// The time of the next packet of a call, or of the next flow.
        var next: Int64
    }

    /// The place of a TCP flow, which others take after it.
    private struct Slot: Sendable {
        var flow: TCPFlow?
        var end: Int64 = .max
        /// Tells the flow apart in queues that have one for each.
        var mark: UInt16 = 0
        /// The number of flows that have had the place; its packets carry it.
        var number: UInt32 = 0
    }

    private var entries: [Entry] = []
    private var slots: [Slot] = []
    private let random: UInt64
    private var started: UInt64 = 0
    private var order: UInt64 = 0

    /// The first tag of packets of calls; lower tags are numbers of slots.
    private static let calls: UInt32 = 1 << 16
    private static let mostFlows = 1 << 12
    private static let gap: Int64 = 20_000_000
    /// A rate that was not checked may not keep the engine busy.
    private static let shortestGap: Int64 = 100_000
    private static let smallestCall = 64

    init(_ flows: [CompetingFlows], start: Int64, random: UInt64) {
        self.random = random
        for (index, flow) in flows.enumerated() {
            for copy in 0..<max(flow.count, 1) {
                let seed = SplitMix64.value(seed: random, index: UInt64(index) << 32 | UInt64(copy))
                entries.append(Self.entry(flow, start: start, seed: seed))
            }
        }
    }

    private static func entry(_ flow: CompetingFlows, start: Int64, seed: UInt64) -> Entry {
        let from = start + (flow.start?.nanoseconds ?? 0)
        let end = flow.end.map { start + $0.nanoseconds } ?? .max
        let starts = FlowStarts(flow, seed: seed)
        if case .call(let rate) = flow.kind {
            let usual = rate.bytes(in: .nanoseconds(gap))
            let bytes = min(max(usual, Double(smallestCall)), Double(Frame.fullSizeBytes))
            // What no packet holds takes more of them, and what would be less than a packet fewer.
            let gap = bytes == usual ? gap : max(rate.time(forBytes: bytes).nanoseconds, shortestGap)
            // Calls of several people do not send in step.
            let phase = Int64(seed % UInt64(gap))
            return Entry(source: .call(gap: gap, bytes: UInt32(bytes)), end: end, next: from + phase)
        }
        return Entry(source: .flows(starts), end: end, next: from + starts.firstDelay)
    }

    /// The time of the next event; `Int64.max` if there is none.
    var nextEvent: Int64 {
        var time = Int64.max
        for entry in entries where entry.next < entry.end { time = min(time, entry.next) }
        for slot in slots { if let flow = slot.flow { time = min(time, flow.nextEvent) } }
        return time
    }

    /// Handles the events that are due, and calls `send` for each packet that comes to the bottleneck.
    mutating func handleEvents(at now: Int64, _ send: (HeldPacket) -> Void) {
        for index in entries.indices where entries[index].next <= now && entries[index].next < entries[index].end {
            handle(index, at: now, send)
        }
        for index in slots.indices {
            guard let next = slots[index].flow?.nextEvent, next <= now else { continue }
            sendAll(of: index, slots[index].flow?.handleEvent(at: now) ?? 0, at: now, send)
        }
    }

    private mutating func handle(_ index: Int, at now: Int64, _ send: (HeldPacket) -> Void) {
        switch entries[index].source {
        case .call(let gap, let bytes):
            var packet = HeldPacket(time: now, order: order, tag: Self.calls + UInt32(index), bytes: bytes)
            order &+= 1
            packet.isVirtual = true
            packet.flow = UInt16(truncatingIfNeeded: SplitMix64.value(seed: random, index: UInt64(index)))
            entries[index].next += gap
            send(packet)
        case .flows(var starts):
            let new = starts.next()
            entries[index].next = new.delay.map { entries[index].next + $0 } ?? .max
            entries[index].source = .flows(starts)
            for _ in 0..<new.flows {
                let flow = TCPFlow(
                    roundTrip: starts.roundTrip,
                    packets: new.packets,
                    starts.congestion,
                    random: SplitMix64.value(seed: random, index: started | 1 << 62)
                )
                begin(flow, until: entries[index].end, at: now, send)
            }
        }
    }

    private mutating func begin(_ flow: TCPFlow, until end: Int64, at now: Int64, _ send: (HeldPacket) -> Void) {
        let index: Int
        if let free = slots.firstIndex(where: { $0.flow == nil }) {
            index = free
        } else {
            // As a browser, which queues requests when it has too many connections.
            guard slots.count < Self.mostFlows else { return }
            index = slots.count
            slots.append(Slot())
        }
        slots[index].flow = flow
        slots[index].end = end
        slots[index].number &+= 1
        slots[index].mark = UInt16(truncatingIfNeeded: SplitMix64.value(seed: random, index: started | 1 << 63))
        started &+= 1
        sendAll(of: index, flow.room(), at: now, send)
    }

    private mutating func sendAll(of index: Int, _ count: Int, at now: Int64, _ send: (HeldPacket) -> Void) {
        if slots[index].end <= now || slots[index].flow?.isDone == true {
            slots[index].flow = nil
            return
        }
        for _ in 0..<count {
            guard let number = slots[index].flow?.send(at: now) else { return }
            var packet = HeldPacket(
                time: now,
                order: number,
                tag: UInt32(index),
                bytes: UInt32(Frame.fullSizeBytes),
                corruptedBit: slots[index].number
            )
            packet.isVirtual = true
            packet.ecn = .classic
            packet.flow = slots[index].mark
            send(packet)
        }
    }

    /// Begins at `time` with the traffic that is in progress then.
    mutating func skip(to time: Int64) {
        for index in entries.indices where entries[index].next < time {
            switch entries[index].source {
            case .call(let gap, _): entries[index].next += (time - entries[index].next + gap - 1) / gap * gap
            case .flows(var starts):
                // Without end, or the latest of those that begin again and again.
                while let delay = starts.next().delay, entries[index].next + delay <= time {
                    entries[index].next += delay
                }
                entries[index].next = max(entries[index].next, time)
            }
        }
    }

    /// Notes that the bottleneck has sent a packet, which came at `sent`; its last bit left at `packet.time`.
    mutating func noteDelivery(of packet: HeldPacket, sent: Int64) {
        guard packet.tag < Self.calls, isPresent(packet) else { return }
        slots[Int(packet.tag)].flow?.noteDelivery(
            of: packet.order,
            sent: sent,
            at: packet.time,
            isMarked: packet.isMarked
        )
    }

    /// Notes that the bottleneck has dropped a packet.
    mutating func noteDrop(of packet: HeldPacket) {
        guard packet.tag < Self.calls, isPresent(packet) else { return }
        slots[Int(packet.tag)].flow?.noteDrop(of: packet.order)
    }

    /// Whether the packet's flow is the one that its slot has now.
    private func isPresent(_ packet: HeldPacket) -> Bool {
        slots[Int(packet.tag)].number == packet.corruptedBit && slots[Int(packet.tag)].flow != nil
    }
}
