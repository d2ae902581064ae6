// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
import Glibc
internal import LinkProfiles
internal import LinuxSystem
internal import Netlink
internal import TrafficControl

/// Writes the packets of a private network whose lanes the kernel carries, each once and with what the lane did to it.
struct LaneCapture {
    private let ring: PacketRing
    private let output: CaptureOutput
    private var matcher = LaneMatcher()
    private var interfaces: LaneInterfaces
    private var encoder = CaptureFiles.encoder()
    private var names = CapturedNames()
    /// The packets of each interface that are in the file, and those that are to be written next.
    private var written: [UInt64] = []
    private var pending: [UInt64] = []
    /// The number of interfaces that the file describes.
    private var described = 0
    /// Packets that there was no room for.
    private var skipped: UInt64 = 0
    private var dropped: UInt64 = 0
    private var times = LaneTimes([])
    private var failure: CaptureOutput.Failure?
    private let begin = RealClock.now
    /// The TLS keys of the command; nil for none.
    var keyLog: KeyLogFollower?
    /// The interfaces of the capture that are lanes.
    private var lanes: [Int: Lane] = [:]

    /// The bytes to collect before they are written while more packets wait.
    private static let chunk = 1 << 18
    /// How late the kernel may hand a packet over, in nanoseconds: ten times the pause of the ring.
    private static let margin: Int64 = 500_000_000
    /// The longest wait at the end for packets that are still in a lane.
    private static let patience = Duration.milliseconds(500)

    init(_ ring: PacketRing, _ output: CaptureOutput, snapLength: UInt32, links: @escaping () -> [Link]) {
        self.ring = ring
        self.output = output
        interfaces = LaneInterfaces(snapLength: snapLength, links: links)
    }

    /// The lanes are to hold packets for so long from now on.
    mutating func expect(_ times: LaneTimes) {
        self.times = times
        matcher.allow(stay: times.longestStay.nanoseconds)
        for (interface, lane) in lanes {
            matcher.expect(delay: times.delays[lane]?.nanoseconds ?? 0, interface: interface)
        }
    }

    /// Takes what the kernel has handed over, and writes what is certain.
    mutating func take() {
        var packets: [(role: LaneInterfaces.Role, sighting: PacketSighting)] = []
        // No more than there is room for: packets may come faster than they can be matched.
        for _ in 0..<ring.blockCount {
            guard ring.takeBlock({ packets += sightings(of: $0) }) else { break }
        }
        let now = ring.readCounters().dropped
        if now > dropped { matcher.doubt() }
        for (role, sighting) in packets {
            switch role {
            case .enters: matcher.enter(sighting)
            case .leaves: matcher.leave(sighting)
            case .outside: matcher.pass(sighting.packet)
            case .other: break
            }
        }
        if now > dropped { matcher.doubt() }
        dropped = now
        // Before the packets that they decrypt.
        if let lines = keyLog?.newLines() { encoder.add(tlsKeys: lines) }
        while let packet = matcher.next(now: RealClock.now - Self.margin) { add(packet) }
        flush()
    }

    /// Waits for packets that are about to leave, and writes the rest.
    ///
    /// - Returns: why not everything was written; nil if it was.
    mutating func finish() -> String? {
        let deadline = ContinuousClock.now + min(times.longestStay + .milliseconds(100), Self.patience)
        repeat {
            Wait.untilReadable([ring.descriptor], limit: .milliseconds(60))
            take()
        } while matcher.isWaiting && ContinuousClock.now < deadline
        for packet in matcher.finish(at: RealClock.now) { add(packet) }
        flush()
        for (number, count) in written.prefix(described).enumerated() {
            var statistics = CaptureStatistics(begin: begin, end: RealClock.now)
            statistics.written = count
            // The kernel counts for all of them.
            if number == 0 { statistics.dropped = dropped + skipped }
            encoder.add(statistics, of: number)
        }
        output.liftBound()
        // A reader must not take a file that ends early for a whole one: small as they are, they may still have room.
        try? encoder.drain { (blocks) throws(CaptureOutput.Failure) in try output.write(blocks) }
        return failure?.description
    }

    /// A packet in the ring, or the wire packets of a super-packet.
    private mutating func sightings(
        of packet: borrowing RingPacket
    ) -> [(role: LaneInterfaces.Role, sighting: PacketSighting)] {
        let (role, new) = interfaces.role(of: packet.interface)
        let number: Int
        var way: CapturedPacket.Direction?
        switch role {
        case .enters(let interface), .leaves(let interface): number = interface
        case .outside(let interface, let direction): (number, way) = (interface, direction)
        case .other: return []
        }
        if let new {
            _ = encoder.add(new.interface)
            written.append(0)
            pending.append(0)
            if let lane = new.lane {
                matcher.add(LaneMatcher.Lane(lane.name, isSent: lane.direction == .uplink), interface: number)
                matcher.expect(delay: times.delays[lane]?.nanoseconds ?? 0, interface: number)
                lanes[number] = lane
            }
        }
        let (bytes, length) = packet.taggedBytes
        let isSuper = packet.segmentSize > 0
        let parts =
            isSuper
            ? SuperPacket(bytes, length: length, segmentSize: packet.segmentSize, linkType: .ethernet).wirePackets
            : [(bytes, length)]
        let hasFinalChecksums = !packet.lacksChecksum && !isSuper
        let time = packet.time
        let direction = way ?? (lanes[number]?.direction == .downlink ? .inbound : .outbound)
        return parts.map { bytes, length in
            var part = CapturedPacket(interface: number, time: time, bytes: bytes)
            part.length = length
            part.direction = direction
            return (role, PacketSighting(part, hasFinalChecksums: hasFinalChecksums))
        }
    }

    private mutating func add(_ packet: CapturedPacket) {
        if packet.bytes.withUnsafeBytes({ names.mayBeAnswer($0) }), let found = names.take(packet, .ethernet) {
            encoder.add(names: found)
        }
        encoder.add(packet)
        pending[packet.interface] += 1
        if encoder.bytes.count >= Self.chunk { flush() }
    }

    private mutating func flush() {
        defer {
            if failure != nil { skipped += pending.reduce(0, +) }
            for number in pending.indices { pending[number] = 0 }
        }
        guard failure == nil, !encoder.bytes.isEmpty else { return encoder.drain { _ in } }
        do throws(CaptureOutput.Failure) {
            try encoder.drain { (blocks) throws(CaptureOutput.Failure) in try output.write(blocks) }
            for (number, count) in pending.enumerated() { written[number] += count }
            described = written.count
        } catch {
            failure = error
        }
    }
}
