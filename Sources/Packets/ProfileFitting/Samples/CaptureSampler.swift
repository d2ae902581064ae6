// SPDX-License-Identifier: Apache-2.0

package import CapturedPackets
internal import InternetAddresses
internal import LinkProfiles
package import ProfileFormats

/// Collects samples of a link from the packets of a capture, one by one: round trips of pings and of TCP handshakes,
/// and the bytes and losses of TCP transfers. Little is stored per packet, so that a capture may have any size.
///
/// A capture is taken at one point. Round trips cover both directions; arriving packets show the downlink's rate and
/// losses; the acknowledgements and retransmissions of sent packets show the uplink's. The fates in linkcond's captures
/// are used only to leave out the link's duplicates, and packets that it dropped or corrupted before the host saw them.
package struct CaptureSampler {
    private struct EchoKey: Hashable {
        let peer: IPAddress
        let number: UInt32
    }

    private struct FlowKey: Hashable {
        let client: IPAddress
        let server: IPAddress
        let clientPort: UInt16
        let serverPort: UInt16
    }

    /// A probe, and whether other packets were on the link at the same time.
    private struct ProbeCandidate {
        var probe: ProbeSample
        let sent: Int64
        /// The number of other packets seen when the probe was sent, and when it was answered or given up.
        let before: Int
        var after: Int?
        let isEcho: Bool
        /// Whether the probe is unusable.
        var isVoid = false

        var isQuiet: Bool { after ?? before == before }
    }

    private static let maximumFlows = 1 << 16
    /// Enough round trips to fit a link to.
    private static let maximumTrials = 1_000_000
    /// The idle time in nanoseconds after which a connection may be forgotten.
    private static let idleTime: Int64 = 60_000_000_000

    private var interfaces: [CapturedInterface] = []
    private var waiting: [EchoKey: Int] = [:]
    private var flows: [FlowKey: TCPFlow] = [:]
    private var trials: [IPAddress: [ProbeCandidate]] = [:]
    private var trialCount = 0
    /// The number of packets other than pings and their answers.
    private var others = 0
    private var lastEcho: IPAddress?
    private var lastTime = Int64.min
    private var highestAnswered: [IPAddress: Int] = [:]
    private var isReordered = false
    private var (downlink, uplink) = (Transfer(), Transfer())
    private var packets = 0
    private var unread = 0

    package init() {}

    /// Adds a record of the capture.
    package mutating func add(_ record: CaptureRecord) {
        switch record {
        case .section: interfaces = []
        case .interface(let interface): interfaces.append(interface)
        case .packet(let packet): add(packet)
        case .names, .tlsKeys, .statistics: break
        }
    }

    private mutating func add(_ packet: CapturedPacket) {
        let fate = packet.fate
        let isOutbound = packet.linkDirection(fate).map { $0 == .uplink }
        if let fate {
            // The host neither sends nor sees packets that the link makes or destroys.
            switch fate.fate {
            case .duplicate: return
            case .dropped, .corrupted: if isOutbound == false { return }
            case .passed, .marked: break
            }
        }
        let link = interfaces.indices.contains(packet.interface) ? interfaces[packet.interface].linkType : .ethernet
        let headers = PacketHeaders(packet.bytes, link, length: packet.length)
        packets += 1
        // A file may contain any time: larger ones are skipped, so that the difference of two times does not overflow.
        guard let ip = headers.ip, packet.time.magnitude < 1 << 62 else { return unread += 1 }
        let frame = (ip.length > 0 ? ip.length : packet.length - headers.networkOffset) + 14
        lastTime = max(lastTime, packet.time)
        switch headers.transport {
        case .icmp(let type, _) where [0, 8, 128, 129].contains(type):
            addEcho(packet, headers, ip, isRequest: type == 8 || type == 128, isOutbound: isOutbound, frame)
        case .tcp(let tcp):
            others += 1
            addSegment(packet, headers, ip, tcp, isOutbound: isOutbound, frame)
        default:
            others += 1
            if isOutbound == false { downlink.add(at: packet.time, bytes: frame) }
        }
    }

    private mutating func addEcho(
        _ packet: CapturedPacket,
        _ headers: PacketHeaders,
        _ ip: IPHeader,
        isRequest: Bool,
        isOutbound: Bool?,
        _ frame: Int
    ) {
        let start = headers.payload.lowerBound
        guard start >= 4, start <= packet.bytes.count, isOutbound ?? isRequest == isRequest else { return others += 1 }
        let number = packet.bytes[start - 4..<start].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let peer = isRequest ? ip.destination : ip.source
        let key = EchoKey(peer: peer, number: number)
        if isRequest {
            closeLastEcho()
            lastEcho = peer
            let probe = ProbeSample(time: Double(packet.time) / 1e9, trip: nil, bytes: frame)
            waiting[key] = begin(
                ProbeCandidate(probe: probe, sent: packet.time, before: others, isEcho: true),
                of: peer
            )
        } else {
            downlink.add(at: packet.time, bytes: frame)
            guard let index = waiting.removeValue(forKey: key), let trial = trials[peer]?[index] else { return }
            // The clock was set back: the round trip is unknown.
            guard packet.time >= trial.sent else {
                trials[peer]?[index].isVoid = true
                return
            }
            uplink.add(at: packet.time, bytes: trial.probe.bytes)
            let trip = Double(packet.time - trial.sent) / 1e9
            (downlink.trip, uplink.trip) = (trip, trip)
            trials[peer]?[index].probe.trip = trip
            trials[peer]?[index].after = others
            if index < highestAnswered[peer] ?? 0 { isReordered = true }
            highestAnswered[peer] = max(highestAnswered[peer] ?? 0, index)
        }
    }

    /// Ends the last request's trial at the next request, if it is unanswered: it counts as alone on the link if no
    /// other packet passed in between.
    private mutating func closeLastEcho() {
        guard let lastEcho, let index = trials[lastEcho]?.indices.last, trials[lastEcho]?[index].after == nil else {
            return
        }
        trials[lastEcho]?[index].after = others
    }

    /// Adds a trial; returns its index among the trials of `peer`, or nil if there is no room.
    @discardableResult
    private mutating func begin(_ trial: ProbeCandidate, of peer: IPAddress) -> Int? {
        guard trialCount < Self.maximumTrials else { return nil }
        trialCount += 1
        trials[peer, default: []].append(trial)
        return (trials[peer]?.count ?? 1) - 1
    }

    private mutating func addSegment(
        _ packet: CapturedPacket,
        _ headers: PacketHeaders,
        _ ip: IPHeader,
        _ tcp: TCPHeader,
        isOutbound: Bool?,
        _ frame: Int
    ) {
        let forward = FlowKey(
            client: ip.source,
            server: ip.destination,
            clientPort: tcp.sourcePort,
            serverPort: tcp.destinationPort
        )
        let back = FlowKey(
            client: ip.destination,
            server: ip.source,
            clientPort: tcp.destinationPort,
            serverPort: tcp.sourcePort
        )
        let isNew = tcp.flags.contains(.syn) && !tcp.flags.contains(.acknowledgment)
        // If the start of a flow is missing, the end with the higher port is assumed to be the client.
        let isFromClient =
            isNew || flows[forward] != nil || flows[back] == nil && tcp.sourcePort > tcp.destinationPort
        let key = isFromClient ? forward : back
        let known = flows.removeValue(forKey: key)
        // A SYN after data: a new connection reuses the port.
        var flow =
            known.flatMap { isNew && $0.hasData ? nil : $0 }
            ?? TCPFlow(isLocalClient: isOutbound.map { $0 == isFromClient }, packetsBefore: others)
        flow.lastTime = packet.time
        let segment = TCPFlow.Segment(
            time: packet.time,
            header: tcp,
            payload: headers.payloadLength,
            frame: frame,
            isFromClient: isFromClient
        )
        if let handshake = flow.read(segment, downlink: &downlink, uplink: &uplink) {
            // Two of the packets since the flow started are the handshake's.
            let others = max(others - flow.packetsBefore - 2, 0)
            let probe = ProbeSample(time: Double(packet.time) / 1e9, trip: handshake.trip, bytes: 74)
            begin(
                ProbeCandidate(probe: probe, sent: packet.time, before: 0, after: others, isEcho: false),
                of: handshake.isOfServer ? key.server : key.client
            )
        }
        if !tcp.flags.contains(.reset) { flows[key] = flow }
        if flows.count > Self.maximumFlows { forgetFlows(at: packet.time) }
    }

    /// Forgets idle connections, and at least the older half of all, so that this is rarely needed.
    private mutating func forgetFlows(at time: Int64) {
        let times = flows.values.map(\.lastTime).sorted()
        let limit = max(times[times.count / 2], time - Self.idleTime)
        flows = flows.filter { $0.value.lastTime > limit }
    }

    /// Ends the capture, and returns its samples.
    ///
    /// - Parameter name: the peer address whose round trips to use, if the capture has several peers.
    package mutating func finish(name: String? = nil) throws(ImportError) -> LinkSamples {
        var samples = LinkSamples()
        samples.isReordered = isReordered
        (samples.downlink, samples.uplink) = (downlink, uplink)
        if trialCount == Self.maximumTrials {
            samples.remark("the round trips are the first \(Self.maximumTrials) of the capture")
        }
        if downlink.isFull || uplink.isFull {
            samples.remark(
                "losses are those of the first \(Transfer.maximumSegments) segments of TCP of each direction"
            )
        }
        if packets == unread {
            throw .invalid(
                location: "",
                reason: packets == 0 ? "it has no packets" : "no packet in it is IP"
            )
        }
        let peers = trials.map {
            (name: "\($0.key)", trials: $0.value, answers: $0.value.count { $0.probe.trip != nil })
        }
        .sorted { ($0.answers, $1.name) > ($1.answers, $0.name) }
        guard let first = peers.first else {
            samples.remark("it has neither pings nor handshakes of TCP, so there is no delay in the profile")
            return samples
        }
        let chosen = peers.first { $0.name == name }
        let all = peers.reduce(0) { $0 + $1.answers }
        guard chosen != nil || first.answers * 5 >= all * 4 else { throw .several(peers.prefix(20).map(\.name)) }
        let peer = chosen ?? first
        if peers.count > 1 {
            samples.remark(
                "the round trips are those to \(peer.name); --name chooses another of \(peers.count)"
            )
        }
        samples.peer = peer.name
        choose(from: peer.trials, &samples)
        return samples
    }

    private func choose(from trials: [ProbeCandidate], _ samples: inout LinkSamples) {
        let trials = trials.filter { !$0.isVoid }
        var echoes = trials.filter(\.isEcho)
        // The answers to the last requests may be missing because the capture ended.
        let longest = echoes.compactMap(\.probe.trip).max() ?? 0
        while let last = echoes.last, last.probe.trip == nil, Double(lastTime - last.sent) / 1e9 < longest {
            echoes.removeLast()
        }
        let isOfPing = echoes.count >= trials.count - echoes.count
        let used = isOfPing ? echoes : trials.filter { !$0.isEcho }
        samples.countsLoss = isOfPing
        if !isOfPing {
            samples.remark("the round trips are those of TCP's handshakes: the capture has no pings")
        }
        let quiet = used.filter(\.isQuiet)
        let (some, all) = (quiet.count { $0.probe.trip != nil }, used.count { $0.probe.trip != nil })
        if some >= min(10, all), some > 0 {
            samples.probes = quiet.map(\.probe)
            if some < all {
                samples.remark(
                    "\(some) of \(all) round trips are used: the others shared the link with transfers"
                )
            }
        } else {
            // A queue can only lengthen round trips: the shortest twentieth is used.
            let trips = used.compactMap(\.probe.trip).sorted()
            let limit = trips.isEmpty ? 0 : trips[trips.count / 20]
            samples.probes = used.map(\.probe).filter { $0.trip.map { $0 <= limit } ?? false }
            samples.countsLoss = false
            samples.remark(
                "the link was never idle: the delay is that of the shortest twentieth of round trips"
            )
        }
    }
}
