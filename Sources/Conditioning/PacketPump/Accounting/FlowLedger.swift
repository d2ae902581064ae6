// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import CapturedPackets
internal import InternetAddresses
internal import LinkProfiles

/// Adds up the recorded packets of a pump by flow. Used on one thread.
///
/// The table has a fixed size: a new flow replaces the one that was silent for the longest time.
final class FlowLedger {
    /// The flows that are kept.
    static let capacity = 4_096
    /// The datagrams in fragments whose flow is remembered.
    private static let maximumFragmented = 1_024
    /// The bytes of headers that may be read, all of them beyond the recorded ones zero.
    private static let scratchSize = 1 << 18

    private struct Key: Hashable {
        var client: SIMD2<UInt64>
        var peer: SIMD2<UInt64>
        var ends: UInt64
    }

    /// What is needed to find repetitions.
    private struct Sequences {
        var up = SequenceRanges()
        var down = SequenceRanges()
    }

    private(set) var entries: [FlowEntry] = []
    /// The delays of all packets of each lane, also of flows that are no longer kept.
    private(set) var delays = [FlowEntry.Delays](repeating: FlowEntry.Delays(), count: Lane.allCases.count)
    /// The flows that were replaced.
    private(set) var replaced: UInt64 = 0
    /// The records that were lost, since they came faster than they were read.
    private(set) var lost: UInt64 = 0
    /// The names of addresses in DNS answers, since the last call of ``forgetChanges()``.
    private(set) var newNames: [(address: IPAddress, name: String)] = []
    /// The slots that have changed since that call.
    private(set) var changed: [Int] = []

    private var isChanged: [Bool] = []
    private var keys: [Key] = []
    private var sequences: [Sequences] = []
    private var slots: [Key: Int] = [:]
    private var recency: RecencyList
    private var fragmented: [UInt64: Key] = [:]
    private var names = AnsweredNames()
    private var count: UInt64 = 0
    private let scratch: UnsafeMutableRawPointer
    private var scratchUsed = 0

    /// Makes an empty ledger; nil if the address space is exhausted.
    init?(capacity: Int = FlowLedger.capacity) {
        guard let scratch = lc_reserve(UInt(Self.scratchSize)) else { return nil }
        self.scratch = scratch
        recency = RecencyList(capacity: capacity)
    }

    deinit { lc_unreserve(scratch, UInt(Self.scratchSize)) }

    func forgetChanges() {
        for slot in changed { isChanged[slot] = false }
        changed.removeAll(keepingCapacity: true)
        newNames.removeAll(keepingCapacity: true)
    }

    /// Adds a record with the bytes that were kept of its packet: an Ethernet frame, perhaps only its headers.
    func add(_ packet: RecordedPacket, _ bytes: UnsafeRawBufferPointer) {
        lost += UInt64(packet.lost)
        let length = max(Int(packet.length), bytes.count)
        guard packet.kind == .packet, let start = bytes.baseAddress, length <= Self.scratchSize else { return }
        // The layout's lengths are those of the whole frame; what was not kept reads as zeros.
        scratch.copyMemory(from: start, byteCount: bytes.count)
        for index in bytes.count..<max(bytes.count, scratchUsed) { scratch.setByte(index, 0) }
        scratchUsed = bytes.count
        let layout = FrameLayout(UnsafeRawBufferPointer(start: scratch, count: length))
        guard layout.kind != .opaque else { return }
        let slot = slot(layout, packet)
        count(packet, in: slot)
        if layout.kind == .tcp, layout.transport > 0, !packet.isCopy { readTCP(layout, packet, in: slot) }
        if packet.lane == .downlink, packet.delivery != nil, layout.kind == .udp, layout.sourcePort == 53 {
            newNames += names.new(in: UnsafeRawBufferPointer(rebasing: bytes.dropFirst(Int(layout.payload))))
        }
    }

    private func count(_ packet: RecordedPacket, in slot: Int) {
        let (pieces, bytes) = (UInt64(max(packet.pieces, 1)), UInt64(packet.counted))
        entries[slot].last = max(entries[slot].last, packet.arrival)
        let isDown = packet.lane == .downlink
        if !packet.isCopy {
            entries[slot][isDown: isDown].seenPackets += pieces
            entries[slot][isDown: isDown].seenBytes += bytes
        }
        if case .dropped(let reason) = packet.fate {
            if let reason { entries[slot].dropped[reason.counter] += pieces }
        } else {
            entries[slot][isDown: isDown].deliveredPackets += pieces
            entries[slot][isDown: isDown].deliveredBytes += bytes
        }
        if let delivery = packet.delivery, packet.maker == nil {
            let nanoseconds = UInt64(max(0, delivery - packet.arrival)) * pieces
            entries[slot][packet.lane].packets += pieces
            entries[slot][packet.lane].nanoseconds += nanoseconds
            delays[packet.lane.rawValue].packets += pieces
            delays[packet.lane.rawValue].nanoseconds += nanoseconds
        }
        if !isChanged[slot] {
            isChanged[slot] = true
            changed.append(slot)
        }
    }

    private func readTCP(_ layout: FrameLayout, _ packet: RecordedPacket, in slot: Int) {
        let start = UnsafeRawPointer(scratch)
        let isUp = packet.lane != .downlink
        let flags = start.byte(Int(layout.transport) + 13)
        let (fin, syn, rst, ack) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0, flags & 16 != 0)
        var marks: FlowMarks = [.isTCP]
        if syn { marks.insert(isUp ? .synUp : .synDown) }
        if syn, !ack { marks.insert(isUp ? .openedByClient : .openedByPeer) }
        if fin { marks.insert(isUp ? .finUp : .finDown) }
        if rst { marks.insert(.reset) }
        if !syn, !rst { marks.insert(.later) }
        entries[slot].marks.formUnion(marks)
        guard packet.maker == nil, !rst else { return }
        let payload = max(0, layout.end - Int(layout.payload))
        let count = payload + (syn ? 1 : 0) + (fin ? 1 : 0)
        let sequence = start.long(Int(layout.transport) + 4)
        let repeated =
            isUp ? sequences[slot].up.add(sequence, count: count) : sequences[slot].down.add(sequence, count: count)
        // A single byte that was sent before is a keep-alive or a probe of a closed window (RFC 9293, 3.8.4 and 3.8.6).
        guard repeated > 0, syn || fin || payload != 1 else { return }
        let pieces = Int(max(packet.pieces, 1))
        entries[slot][isDown: !isUp].retransmissions += UInt64((repeated * pieces + count - 1) / count)
    }

    /// The slot of a packet's flow, which is added unless it is known.
    private func slot(_ layout: FrameLayout, _ packet: RecordedPacket) -> Int {
        let key = key(layout, packet)
        if let slot = slots[key], !startsAnother(layout, entries[slot]) {
            recency.use(slot)
            return slot
        }
        let (slot, isReplaced) = recency.insert()
        if isReplaced {
            replaced += 1
            if slots[keys[slot]] == slot { slots[keys[slot]] = nil }
        } else {
            entries.append(FlowEntry())
            isChanged.append(false)
            keys.append(key)
            sequences.append(Sequences())
        }
        count += 1
        var entry = FlowEntry()
        entry.number = count
        (entry.client, entry.peer, entry.ends) = ((key.client.x, key.client.y), (key.peer.x, key.peer.y), key.ends)
        (entry.first, entry.last) = (packet.arrival, packet.arrival)
        if layout.kind == .tcp {
            entry.marks = .isTCP
        } else {
            entry.marks = packet.lane == .downlink ? .openedByPeer : .openedByClient
        }
        (entries[slot], keys[slot], sequences[slot], slots[key]) = (entry, key, Sequences(), slot)
        return slot
    }

    private func startsAnother(_ layout: FrameLayout, _ entry: FlowEntry) -> Bool {
        guard layout.kind == .tcp, layout.transport > 0, entry.marks.isOver else { return false }
        return UnsafeRawPointer(scratch).byte(Int(layout.transport) + 13) & 0x12 == 0x02
    }

    private func key(_ layout: FrameLayout, _ packet: RecordedPacket) -> Key {
        let datagram = layout.fragment == .none ? 0 : FlowKey.packet(scratch, layout).hash
        if layout.fragment == .later, let key = fragmented[datagram] { return key }
        let isUp = packet.lane != .downlink
        var ports = (source: layout.sourcePort, destination: layout.destinationPort)
        // The identifier of a query stands in both directions, as the client's port.
        if layout.kind == .icmp, !isUp { ports = (0, ports.source) }
        let (client, peer) = (isUp ? ports.source : ports.destination, isUp ? ports.destination : ports.source)
        let key = Key(
            client: address(layout, isUp ? 0 : 1),
            peer: address(layout, isUp ? 1 : 0),
            ends: UInt64(client) | UInt64(peer) << 16 | UInt64(layout.transportProtocol) << 32
                | (layout.isIPv6 ? 1 << 40 : 0)
        )
        if layout.fragment == .first {
            if fragmented.count >= Self.maximumFragmented { fragmented.removeAll(keepingCapacity: true) }
            fragmented[datagram] = key
        }
        return key
    }

    private func address(_ layout: FrameLayout, _ which: Int) -> SIMD2<UInt64> {
        let address = scratch + layout.addresses + which * layout.addressLength
        guard layout.isIPv6 else { return SIMD2(0, UInt64(address.loadUnaligned(as: UInt32.self))) }
        let (one, two) = address.loadUnaligned(as: (UInt64, UInt64).self)
        return SIMD2(one, two)
    }
}
