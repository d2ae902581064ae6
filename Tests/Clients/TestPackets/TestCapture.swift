// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import LinkProfiles

@testable import ClientTraffic

/// A capture whose packets are written by hand: a client and a server on a link. Times are in milliseconds.
struct TestCapture {
    /// What the link does to a packet.
    enum Link {
        /// Delivers it after so long.
        case after(Int)
        /// Delivers it `late` ms later than it should.
        case delayed(Int, late: Int)
        case lost
        /// Delivers a copy of it after so long.
        case copy(Int)
        case damaged(Int)
        /// Makes a copy of it that it damages, or drops.
        case damagedCopy(Int)
        case lostCopy
        /// A fault has made it, in the name of its sender.
        case made(Int)
        /// The capture does not tell.
        case untold
    }

    /// The sequence numbers of the SYNs.
    var initial: (client: UInt32, server: UInt32) = (1000, 5000)
    /// What every packet has: ports and the version of IP.
    var template = TestPacket()
    /// Bytes of each packet that are kept.
    var snap = Int.max
    private(set) var reader: TrafficReader
    private(set) var records: [CaptureRecord] = []

    /// - Parameter decoders: nil to open no TLS and read no HTTP/2.
    init(decoders: (any StreamDecoders)? = nil, memory: Int = ReadingBudget.ofRun) {
        reader = TrafficReader(decoders: decoders, memory: memory)
        add(.section(application: nil))
        add(.interface(CapturedInterface("lo", .raw)))
    }

    var traffic: ObservedTraffic { reader.read() }
    var connection: Connection? { traffic.connections.count == 1 ? traffic.connections[0] : nil }

    mutating func add(_ record: CaptureRecord) {
        records.append(record)
        reader.add(record)
    }

    /// Sends a segment of the client at `time`. Numbers count from the SYN, which has 0.
    mutating func client(
        _ flags: TCPHeader.Flags,
        _ sequence: UInt32,
        ack: UInt32 = 0,
        _ payload: [UInt8] = [],
        at time: Int,
        _ link: Link = .after(20)
    ) {
        segment(true, flags, sequence, ack, payload, at: time, link)
    }

    /// Sends a segment of the server at `time`.
    mutating func server(
        _ flags: TCPHeader.Flags,
        _ sequence: UInt32,
        ack: UInt32 = 0,
        _ payload: [UInt8] = [],
        at time: Int,
        _ link: Link = .after(20)
    ) {
        segment(false, flags, sequence, ack, payload, at: time, link)
    }

    private mutating func segment(
        _ isFromClient: Bool,
        _ flags: TCPHeader.Flags,
        _ sequence: UInt32,
        _ ack: UInt32,
        _ payload: [UInt8],
        at time: Int,
        _ link: Link
    ) {
        var packet = template
        packet.isFromClient = isFromClient
        packet.flags = flags
        packet.sequence = sequence &+ (isFromClient ? initial.client : initial.server)
        packet.acknowledgment = ack == 0 ? 0 : ack &+ (isFromClient ? initial.server : initial.client)
        packet.payload = payload
        add(packet, at: time, link)
    }

    /// Sends a datagram.
    mutating func datagram(_ payload: [UInt8], fromClient: Bool = true, at time: Int, _ link: Link = .after(20)) {
        var packet = template
        packet.isFromClient = fromClient
        packet.payload = payload
        add(packet, at: time, link)
    }

    /// Adds a packet that is sent at `time`, as the link's capture has it.
    mutating func add(_ packet: TestPacket, at time: Int, _ link: Link) {
        let fate = Self.fate(link, lane: packet.isFromClient ? .uplink : .downlink)
        let delay = packet.isFromClient ? .zero : fate?.delay ?? .zero
        let stamp = Duration.milliseconds(time) + delay
        var captured = CapturedPacket(time: stamp.nanoseconds, bytes: Array(packet.bytes.prefix(snap)))
        captured.length = packet.bytes.count
        captured.comments = fate.map { [$0.description] } ?? []
        add(.packet(captured))
    }

    private static func fate(_ link: Link, lane: Lane) -> PacketFate? {
        func passed(_ fate: Fate, _ due: Int, _ late: Int = 0) -> PacketFate {
            PacketFate(lane: lane, fate, due: .milliseconds(due), delay: .milliseconds(due + late))
        }
        func copy(_ fate: PacketFate) -> PacketFate {
            var fate = fate
            fate.isCopy = true
            return fate
        }
        return switch link {
        case .after(let delay): passed(.passed, delay)
        case .delayed(let delay, let late): passed(.passed, delay, late)
        case .lost: PacketFate(lane: lane, .dropped(.randomLoss), due: .zero, delay: nil)
        case .copy(let delay): passed(.duplicate, delay)
        case .damaged(let delay): passed(.corrupted, delay)
        case .damagedCopy(let delay): copy(passed(.corrupted, delay))
        case .lostCopy: copy(PacketFate(lane: lane, .dropped(.queueFull), due: .zero, delay: nil))
        case .made(let delay):
            {
                var fate = passed(.passed, delay)
                fate.maker = FaultMark(1, .reset)
                return fate
            }()
        case .untold: nil
        }
    }
}

extension TCPHeader.Flags {
    static let answer: Self = [.syn, .acknowledgment]
    static let data: Self = [.push, .acknowledgment]
    static let end: Self = [.fin, .acknowledgment]
}

extension ObservedPacket {
    /// When it was sent, in milliseconds.
    var sentAt: Int { Int(sent.nanoseconds / 1_000_000) }
    /// When it was delivered.
    var deliveredAt: Int? { delivered.map { Int($0.nanoseconds / 1_000_000) } }
}
