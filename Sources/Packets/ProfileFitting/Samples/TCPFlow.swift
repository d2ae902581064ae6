// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// One TCP connection of a capture, from which samples of both directions are taken.
struct TCPFlow {
    struct Segment {
        let time: Int64
        let header: TCPHeader
        let payload: Int
        let frame: Int
        let isFromClient: Bool
    }

    /// The round trip of a handshake.
    struct Handshake {
        let trip: Double
        /// Whether the other end is the server.
        let isOfServer: Bool
    }

    /// A segment that is not acknowledged yet, and its index in the uplink's `isLost`.
    private struct Unacknowledged {
        let end: TCPSequence
        let index: Int
    }

    /// A gap in the received data.
    private struct Hole {
        let start: TCPSequence
        let end: TCPSequence
        let time: Int64
        /// The indices of the gap's segments in the downlink's `isLost`.
        let indices: Range<Int>
    }

    private static let limit = 1 << 16
    /// The least segment size that is accepted from the MSS option, which may claim any size; the kernel uses none
    /// smaller.
    private static let smallestSegment = 48
    /// The largest frame on the wire; a larger one in a capture may be several that the network card joined.
    private static let fullFrame = 1514

    /// Whether the capturing host is the client; nil until known.
    private var isLocalClient: Bool?
    /// The times of the SYN and the SYN-ACK; nil if not seen, 0 if retransmitted.
    private var opened: (asked: Int64?, accepted: Int64?) = (nil, nil)
    private var hasHandshake = false
    private var handshakeTrip: Int64 = 0
    /// The largest segment on the wire, in bytes of payload: the size that both ends accept, or a larger one that was
    /// seen.
    private var largest = 1448
    /// The number of the capture's other packets when the connection started.
    let packetsBefore: Int
    var lastTime: Int64 = 0
    var hasData: Bool { sent != nil || received != nil }

    private var received: TCPSequence?
    private var holes: [Hole] = []
    private var sent: TCPSequence?
    private var unacknowledged: [Unacknowledged] = []
    private var head = 0
    /// The latest acknowledged sequence number, and the number of bytes after it that are selectively acknowledged.
    private var delivered: (origin: TCPSequence, bytes: Int)?
    private var headerBytes = 66
    /// The TCP timestamps of sent segments, with the times of sending.
    private var stamps: [(value: TCPSequence, time: Int64)] = []

    init(isLocalClient: Bool?, packetsBefore: Int) {
        (self.isLocalClient, self.packetsBefore) = (isLocalClient, packetsBefore)
    }

    /// Reads a segment.
    ///
    /// - Returns: the round trip of the handshake, when the segment completes it.
    mutating func read(_ segment: Segment, downlink: inout Transfer, uplink: inout Transfer) -> Handshake? {
        let handshake = readHandshake(segment)
        if segment.frame <= Self.fullFrame { largest = max(largest, segment.payload) }
        guard let isLocalClient, !segment.header.flags.contains(.reset) else { return handshake }
        if segment.isFromClient == isLocalClient {
            send(segment, &uplink)
        } else {
            receive(segment, &downlink, &uplink)
        }
        return handshake
    }

    private mutating func readHandshake(_ segment: Segment) -> Handshake? {
        let flags = segment.header.flags
        if flags.contains(.syn) {
            let option = segment.header.timestamp == nil ? 0 : 12
            if let size = segment.header.maximumSegment {
                largest = max(min(largest, Int(size) - option), Self.smallestSegment)
            }
            if flags.isAcceptance {
                opened.accepted = opened.accepted == nil ? segment.time : 0
            } else {
                opened.asked = opened.asked == nil ? segment.time : 0
            }
            return nil
        }
        guard !hasHandshake else { return nil }
        hasHandshake = true
        guard let asked = opened.asked, let accepted = opened.accepted, asked > 0, accepted > 0, segment.isFromClient
        else {
            isLocalClient = isLocalClient ?? true
            return nil
        }
        // The capturing host waits for the other end, but answers at once itself: the longer gap is the round trip.
        let (first, second) = (accepted - asked, segment.time - accepted)
        let isClient = isLocalClient ?? (first >= second)
        isLocalClient = isClient
        handshakeTrip = isClient ? first : second
        // If the clock was set back, the round trip is unknown.
        return handshakeTrip >= 0 ? Handshake(trip: Double(handshakeTrip) / 1e9, isOfServer: isClient) : nil
    }

    /// The number of segments on the wire for `bytes` of payload: a capture may show several segments as one.
    private func segments(_ bytes: Int) -> Int {
        max((bytes + largest - 1) / largest, 1)
    }

    private mutating func send(_ segment: Segment, _ uplink: inout Transfer) {
        let tcp = segment.header
        if let stamp = tcp.timestamp, stamps.last.map({ stamp.value.isAfter($0.value) }) ?? true {
            if stamps.count >= Self.limit { stamps.removeFirst(Self.limit / 2) }
            stamps.append((stamp.value, segment.time))
        }
        guard segment.payload > 0 else { return }
        headerBytes = segment.frame - segment.payload
        let end = tcp.sequence + segment.payload
        if delivered == nil { delivered = (tcp.sequence, 0) }
        let isNew = sent.map { tcp.sequence == $0 || tcp.sequence.isAfter($0) } ?? true
        if isNew {
            let room = Self.limit - (unacknowledged.count - head)
            let places = uplink.addSegments(min(segments(segment.payload), room), areLost: false)
            for (part, place) in places.enumerated() {
                let bytes = min((part + 1) * largest, segment.payload)
                unacknowledged.append(Unacknowledged(end: tcp.sequence + bytes, index: place))
            }
        } else {
            // A retransmission: the first transmission is assumed to be lost.
            let retransmitted = unacknowledged[head...].first { $0.end.isAfter(tcp.sequence) }
            if let retransmitted { uplink.loseSegment(retransmitted.index) }
        }
        if sent.map({ end.isAfter($0) }) ?? true { sent = end }
    }

    private mutating func receive(_ segment: Segment, _ downlink: inout Transfer, _ uplink: inout Transfer) {
        let tcp = segment.header
        if let echo = tcp.timestamp?.echo {
            let older = stamps.prefix { echo.isAfter($0.value) }.count
            if older < stamps.count, stamps[older].value == echo {
                let trip = Double(max(segment.time - stamps[older].time, 0)) / 1e9
                (downlink.trip, uplink.trip) = (trip, trip)
                stamps.removeFirst(older + 1)
            }
        }
        let extra = segment.payload > 0 ? (segments(segment.payload) - 1) * (segment.frame - segment.payload) : 0
        downlink.add(at: segment.time, bytes: segment.frame + extra)
        if tcp.flags.contains(.acknowledgment) { acknowledge(segment, &uplink) }
        guard segment.payload > 0, !tcp.flags.contains(.syn) else { return }
        let end = tcp.sequence + segment.payload
        guard let next = received else {
            received = end
            return
        }
        guard tcp.sequence == next || tcp.sequence.isAfter(next) else { return fill(segment, &downlink) }
        if tcp.sequence != next {
            let places = downlink.addSegments(
                min(segments(tcp.sequence.distance(from: next)), Self.limit),
                areLost: true
            )
            if holes.count >= 256 { holes.removeFirst(128) }
            holes.append(Hole(start: next, end: tcp.sequence, time: segment.time, indices: places))
        }
        downlink.addSegments(segments(segment.payload), areLost: false)
        received = end
    }

    /// Reads data that fills a gap. If it arrives sooner than a retransmission could, it was late and not lost.
    private mutating func fill(_ segment: Segment, _ downlink: inout Transfer) {
        let sequence = segment.header.sequence
        guard let index = holes.firstIndex(where: { !$0.start.isAfter(sequence) && $0.end.isAfter(sequence) }) else {
            return
        }
        guard segment.time - holes[index].time < max(handshakeTrip / 2, 2_000_000) else { return }
        downlink.findSegments(holes[index].indices)
        if !downlink.tripsAtLoss.isEmpty { downlink.tripsAtLoss.removeLast() }
    }

    private mutating func acknowledge(_ segment: Segment, _ uplink: inout Transfer) {
        let tcp = segment.header
        while head < unacknowledged.count, !unacknowledged[head].end.isAfter(tcp.acknowledgment) { head += 1 }
        if head > 1024, head * 2 > unacknowledged.count {
            unacknowledged.removeFirst(head)
            head = 0
        }
        guard let known = delivered else { return }
        // Counts the advance since the previous acknowledgment: a connection may carry more than 2 GiB.
        let selective = tcp.selectiveAcknowledgments.reduce(0) { sum, block in
            block.begin.isAfter(tcp.acknowledgment) && block.end.isAfter(block.begin)
                ? sum + block.end.distance(from: block.begin) : sum
        }
        let acknowledged = tcp.acknowledgment.distance(from: known.origin)
        let advance = acknowledged + selective - known.bytes
        guard advance > 0, advance < 1 << 24 else { return }
        uplink.add(at: segment.time, bytes: advance + segments(advance) * headerBytes)
        // Moves the origin to the acknowledged number, so that the distance between them never exceeds half of the
        // number range.
        delivered = (tcp.acknowledgment, known.bytes + advance - acknowledged)
    }
}
