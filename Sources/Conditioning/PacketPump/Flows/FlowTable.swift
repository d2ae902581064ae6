// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import CapturedPackets
internal import PacketFaults

/// The flows of a device: which end opened each, and the numbers that select its packets' random decisions. On
/// loopback, packets from the opener are uplink, and packets to it downlink.
///
/// - The opener of a TCP connection sends the first SYN. The opener of other flows sends the first packet.
/// - An ICMP query is from the opener, a reply is to it. An error has the opposite direction of the packet that it
///   quotes.
/// - A later fragment has the direction of its packet's first fragment.
/// - The opener of a TCP connection older than the table is identified by its port (connect(2) chooses even ephemeral
///   ports). If the ports do not decide, the first packet seen counts as the opener's.
///
/// A flow's random decisions depend on its ends, without the opener's port, which the kernel chooses at random, and on
/// the number of earlier flows between these ends.
///
/// The table has a fixed size, in sets of four: a new flow replaces an expired one, or else the least recently used
/// one. The number of flows between two ends is kept in a separate entry.
struct FlowTable: ~Copyable {
    /// RFC 5382, REQ-5: a TCP connection may be silent for two hours and four minutes.
    static let tcpSilence: UInt32 = 7_440
    /// RFC 4787, REQ-5 recommends five minutes.
    static let otherSilence: UInt32 = 300
    /// Reassembly ends after 30 s (IPv4, ipfrag_time) or 60 s (RFC 8200, 4.5).
    static let fragmentSilence: UInt32 = 60
    /// The time after a SYN in which one from the other end means a simultaneous open (RFC 9293, 3.5), in seconds.
    static let opening: UInt32 = 60
    private static let ways = 4

    private struct Entry {
        var key = FlowKey(low: (0, 0), high: (0, 0), ports: 0, space: 0)
        /// Whether the low end is the opener; for a fragmented packet, whether the opener sent it.
        var isLow = false
        /// Whether only SYNs were seen; for a fragmented packet, whether it belongs to a DNS query.
        var mark = false
        var silence: UInt32 = 0
        /// The time of the last packet, in seconds of a monotonic clock.
        var seen: UInt32 = 0
        /// The table's count of packets at the last use: seconds are too coarse to order uses.
        var used: UInt32 = 0

        static func packet(_ start: UnsafeRawPointer, _ layout: FrameLayout, isLow: Bool, mark: Bool, seen: UInt32)
            -> Entry
        {
            let key = FlowKey.packet(start, layout)
            return Entry(key: key, isLow: isLow, mark: mark, silence: fragmentSilence, seen: seen)
        }
    }

    /// The flow and the direction of a packet.
    struct Classification {
        /// Whether the opener of the flow sent the packet.
        var fromOpener = true
        /// Whether the packet belongs to a query to port 53.
        var isQuery = false
        var position = FlowPosition.unknown
    }

    private let entries: UnsafeMutablePointer<Entry>
    /// The state of each entry, which numbers the packets of its flow. Separate from the keys, so that the keys fill
    /// few cache lines, and a state takes no memory before it is used.
    private let states: UnsafeMutablePointer<FlowState>
    /// The route by which each TCP connection's packets reach the pump, written when the connection starts.
    private let routes: UnsafeMutablePointer<FlowRoute>
    private let capacity: Int
    private let mask: Int
    private var packets: UInt32 = 0
    private let ephemeralPorts: ClosedRange<UInt16>

    /// Makes a table of `capacity` flows, rounded up to a power of two; nil if the address space is exhausted.
    ///
    /// - Parameter ephemeralPorts: net.ipv4.ip_local_port_range of the conditioned network namespace.
    init?(capacity: Int, ephemeralPorts: ClosedRange<UInt16>) {
        var sets = 1
        while sets * Self.ways < capacity { sets *= 2 }
        mask = sets - 1
        self.capacity = sets * Self.ways
        guard let start = lc_reserve(UInt(self.capacity * MemoryLayout<FlowState>.stride)) else { return nil }
        guard let routes = lc_reserve(UInt(self.capacity * MemoryLayout<FlowRoute>.stride)) else {
            lc_unreserve(start, UInt(self.capacity * MemoryLayout<FlowState>.stride))
            return nil
        }
        states = start.bindMemory(to: FlowState.self, capacity: self.capacity)
        self.routes = routes.bindMemory(to: FlowRoute.self, capacity: self.capacity)
        self.ephemeralPorts = ephemeralPorts
        entries = .allocate(capacity: self.capacity)
        entries.initialize(repeating: Entry(), count: self.capacity)
    }

    deinit {
        entries.deallocate()
        lc_unreserve(states, UInt(capacity * MemoryLayout<FlowState>.stride))
        lc_unreserve(routes, UInt(capacity * MemoryLayout<FlowRoute>.stride))
    }

    /// Finds the flow of a frame, or adds it, and numbers the frame's packets.
    ///
    /// - Parameters:
    ///   - segments: the number of wire packets in the frame.
    ///   - segmentSize: the bytes of payload in each wire packet but the last, if there are several.
    ///   - input: the index of the device that the frame came from.
    ///   - now: seconds of a monotonic clock.
    ///   - asksFromEitherEnd: whether packets to port 53 are queries even if their receiver opened the flow: true on a
    ///     device that carries only the uplink.
    mutating func classify(
        _ start: UnsafeRawPointer,
        _ layout: FrameLayout,
        segments: Int = 1,
        segmentSize: Int = 0,
        input: Int = 0,
        now: UInt32,
        asksFromEitherEnd: Bool = false
    ) -> Classification {
        packets &+= 1
        if layout.fragment == .later {
            guard let entry = find(FlowKey.packet(start, layout), now) else { return Classification() }
            entry.pointee.seen = now
            let position = FlowPosition(start, layout, state(of: entry), fromOpener: true)
            return Classification(fromOpener: entry.pointee.isLow, isQuery: entry.pointee.mark, position: position)
        }
        let (entry, fromOpener): (UnsafeMutablePointer<Entry>, Bool)
        switch layout.kind {
        case .opaque: return Classification()
        case .icmp: (entry, fromOpener) = classifyMessage(start, layout, now)
        case .tcp, .udp, .other: (entry, fromOpener) = classifyFlow(start, layout, input, now)
        }
        let position = FlowPosition(
            start,
            layout,
            state(of: entry),
            fromOpener: fromOpener,
            segments: segments,
            segmentSize: segmentSize
        )
        let isQuery = (fromOpener || asksFromEitherEnd) && Self.isQuery(layout)
        if layout.fragment == .first {
            let fragments = position.fragments
            insert(.packet(start, layout, isLow: fromOpener, mark: isQuery, seen: now), FlowState(flow: fragments))
        }
        return Classification(fromOpener: fromOpener, isQuery: isQuery, position: position)
    }

    @inline(__always) private static func isQuery(_ layout: FrameLayout) -> Bool {
        layout.destinationPort == 53 && (layout.kind == .udp || layout.kind == .tcp)
    }

    private mutating func classifyFlow(
        _ start: UnsafeRawPointer,
        _ layout: FrameLayout,
        _ input: Int,
        _ now: UInt32
    ) -> (entry: UnsafeMutablePointer<Entry>, fromOpener: Bool) {
        let (key, senderIsLow) = FlowKey.flow(start, layout)
        let hasFlags = layout.kind == .tcp && layout.transport > 0
        let flags = hasFlags ? start.byte(Int(layout.transport) + 13) : 0
        let isOpening = flags & 0x12 == 0x02
        if let entry = find(key, now) {
            if isOpening {
                // A new connection with the same ports, unless the SYN is a retransmission or both ends open at the
                // same time.
                let isSameSide = entry.pointee.isLow == senderIsLow
                let isSimultaneous = entry.pointee.mark && now &- entry.pointee.seen <= Self.opening
                let isOld =
                    isSameSide
                    ? state(of: entry).pointee.beganWith(TCPSequence(start.long(Int(layout.transport) + 4)))
                    : isSimultaneous
                if !isOld {
                    entry.pointee.isLow = senderIsLow
                    state(of: entry).pointee = begin(start, layout, fromOpener: true, now)
                    routes[entry - entries] = FlowRoute(start, layout, input, senderIsLow: senderIsLow)
                }
                entry.pointee.mark = true
            } else if flags & 0x02 == 0 {
                entry.pointee.mark = false
            }
            entry.pointee.seen = now
            return (entry, entry.pointee.isLow == senderIsLow)
        }
        let isFromOpener = isOpening || flags & 0x12 != 0x12 && looksOpened(layout) ?? true
        let new = Entry(
            key: key,
            isLow: isFromOpener == senderIsLow,
            mark: flags & 0x02 != 0,
            silence: layout.kind == .tcp ? Self.tcpSilence : Self.otherSilence,
            seen: now
        )
        let state = begin(start, layout, fromOpener: isFromOpener, now)
        let entry = insert(new, state)
        if layout.kind == .tcp {
            routes[entry - entries] = FlowRoute(start, layout, input, senderIsLow: senderIsLow)
        }
        return (entry, isFromOpener)
    }

    /// The TCP connections that are open, in the order in which they began.
    func openFlows(at now: UInt32) -> [OpenFlow] {
        (0..<capacity).filter { entries[$0].key.isConnection }
            .sorted { packets &- states[$0].start > packets &- states[$1].start }
            .compactMap { openFlow(entries + $0, now) }
    }

    /// The TCP connection between two ends; nil if it is not open.
    mutating func openFlow(between one: FaultEnd, and other: FaultEnd, at now: UInt32) -> OpenFlow? {
        find(FlowKey.connection(one, other), now).flatMap { openFlow($0, now) }
    }

    /// The route of a TCP packet's connection; nil if it is unknown. `packet` starts with the IP header.
    mutating func route(of packet: [UInt8], at now: UInt32) -> FlowRoute? {
        packet.withUnsafeBytes { bytes in
            let layout = FrameLayout(packet: bytes)
            guard layout.kind == .tcp, let start = bytes.baseAddress else { return nil }
            return find(FlowKey.flow(start, layout).key, now).map { routes[$0 - entries] }
        }
    }

    private func openFlow(_ entry: UnsafeMutablePointer<Entry>, _ now: UInt32) -> OpenFlow? {
        guard now &- entry.pointee.seen <= entry.pointee.silence, let ends = entry.pointee.key.connectionEnds,
            let numbers = state(of: entry).pointee.openNumbers
        else { return nil }
        let isLow = entry.pointee.isLow
        return OpenFlow(
            opener: isLow ? ends.low : ends.high,
            other: isLow ? ends.high : ends.low,
            numbers: numbers,
            route: routes[entry - entries],
            isSenderOpener: routes[entry - entries].senderIsLow == isLow
        )
    }

    /// Notes the end of a TCP connection by a FIN or RST that neither end has sent.
    mutating func noteEnd(_ start: UnsafeRawPointer, _ layout: FrameLayout, at now: UInt32) {
        guard layout.kind == .tcp, layout.transport > 0 else { return }
        let flags = start.byte(Int(layout.transport) + 13)
        guard flags & 0x05 != 0 else { return }
        let (key, senderIsLow) = FlowKey.flow(start, layout)
        guard let entry = find(key, now) else { return }
        state(of: entry).pointee.end(fromOpener: entry.pointee.isLow == senderIsLow, isReset: flags & 0x04 != 0)
    }

    /// Makes the state of a new flow, and counts the flow. Its ends and the number of earlier flows between them select
    /// its random numbers.
    private mutating func begin(_ start: UnsafeRawPointer, _ layout: FrameLayout, fromOpener: Bool, _ now: UInt32)
        -> FlowState
    {
        let ends = FlowKey.ends(start, layout, fromOpener: fromOpener)
        let count: UnsafeMutablePointer<Entry>
        if let known = find(ends, now) {
            count = known
            state(of: count).pointee.flow &+= 1
        } else {
            count = insert(Entry(key: ends, silence: .max, seen: now), FlowState(flow: 0))
        }
        count.pointee.seen = now
        return FlowState(flow: ends.flow(state(of: count).pointee.flow), start: packets)
    }

    /// Whether the sender opened an established TCP connection, judged by the ports; nil if the ports do not decide.
    private func looksOpened(_ layout: FrameLayout) -> Bool? {
        guard layout.kind == .tcp else { return nil }
        let source = ephemeralPorts.contains(layout.sourcePort)
        let destination = ephemeralPorts.contains(layout.destinationPort)
        if source != destination { return source }
        guard source, layout.sourcePort & 1 != layout.destinationPort & 1 else { return nil }
        // connect(2) chooses even ports of the range, bind(2) to port 0 odd ones.
        return layout.sourcePort & 1 == 0
    }

    private mutating func classifyMessage(_ start: UnsafeRawPointer, _ layout: FrameLayout, _ now: UInt32) -> (
        entry: UnsafeMutablePointer<Entry>, fromOpener: Bool
    ) {
        let fromOpener = isFromOpener(start, layout, now)
        let (key, senderIsLow) = FlowKey.flow(start, layout)
        if let entry = find(key, now) {
            entry.pointee.seen = now
            return (entry, fromOpener)
        }
        let new = Entry(key: key, isLow: fromOpener == senderIsLow, silence: Self.otherSilence, seen: now)
        let state = begin(start, layout, fromOpener: fromOpener, now)
        return (insert(new, state), fromOpener)
    }

    /// Whether an ICMP message counts as the opener's: it is a query, or an error that quotes a packet to the opener.
    private mutating func isFromOpener(_ start: UnsafeRawPointer, _ layout: FrameLayout, _ now: UInt32) -> Bool {
        let type = layout.messageType
        let isError = layout.isIPv6 ? type < 128 : [3, 4, 5, 11, 12].contains(type)
        if isError, layout.payload > 0 {
            let from = Int(layout.payload)
            let quoted = FrameLayout(quoted: start, from: from, to: layout.end, isIPv6: layout.isIPv6)
            guard quoted.kind != .opaque else { return false }
            if quoted.kind == .icmp { return !asks(quoted) }
            if quoted.fragment == .later {
                return !(find(FlowKey.packet(start, quoted), now)?.pointee.isLow ?? true)
            }
            let (key, senderIsLow) = FlowKey.flow(start, quoted)
            if let entry = find(key, now) { return entry.pointee.isLow != senderIsLow }
            return !(looksOpened(quoted) ?? true)
        }
        return asks(layout)
    }

    /// Whether an ICMP message is not a reply.
    private func asks(_ layout: FrameLayout) -> Bool {
        switch (layout.isIPv6, layout.messageType) {
        case (true, 129), (false, 0), (false, 14), (false, 16), (false, 18): false
        default: true
        }
    }

    private func state(of entry: UnsafeMutablePointer<Entry>) -> UnsafeMutablePointer<FlowState> {
        states + (entry - entries)
    }

    /// The first entry of the set for a key.
    private func set(_ key: FlowKey) -> UnsafeMutablePointer<Entry> {
        entries + (Int(truncatingIfNeeded: key.hash >> 24) & mask) &* Self.ways
    }

    private func find(_ key: FlowKey, _ now: UInt32) -> UnsafeMutablePointer<Entry>? {
        let set = set(key)
        for way in 0..<Self.ways {
            let entry = set + way
            if entry.pointee.key == key {
                entry.pointee.used = packets
                return now &- entry.pointee.seen <= entry.pointee.silence ? entry : nil
            }
        }
        return nil
    }

    /// Puts a new flow into the table: over the entry with its key, an expired one, or the least recently used one.
    @discardableResult
    private mutating func insert(_ new: consuming Entry, _ state: FlowState) -> UnsafeMutablePointer<Entry> {
        let set = set(new.key)
        var chosen = set
        var longest: UInt32 = 0
        packets &+= 1
        for way in 0..<Self.ways {
            let entry = set + way
            if entry.pointee.key == new.key {
                chosen = entry
                break
            }
            let isFree = entry.pointee.key.space == 0 || new.seen &- entry.pointee.seen > entry.pointee.silence
            let age = isFree ? .max : packets &- entry.pointee.used
            if age > longest {
                longest = age
                chosen = entry
            }
        }
        new.used = packets
        chosen.pointee = new
        self.state(of: chosen).pointee = state
        return chosen
    }
}
