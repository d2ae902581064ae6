// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import LinkEmulation
import LinkProfiles

@testable import ProfileFitting

/// What a host captures that pings another over a link, and then receives and sends much by TCP. The sender keeps so
/// many segments under way that a queue stands before the bottleneck.
struct SimulatedCapture {
    private struct Packet {
        var isUplink: Bool
        /// Echo requests and answers have no header of TCP.
        var flags: UInt8 = 0x10
        var sequence = 0
        var acknowledgment = 0
        var payload = 0
        var stamp: UInt32 = 0
        var echo: UInt32 = 0
        var number: Int?

        var length: Int { number == nil ? 52 + payload : 84 }
    }

    private(set) var records: [CaptureRecord] = [.section(application: nil), .interface(CapturedInterface("lo", .raw))]
    private let knowsDirection: Bool
    private let isAtServer: Bool
    private var uplink: LinkPipeline
    private var downlink: LinkPipeline
    private var underway: [Packet] = []
    private var now: Int64 = 0

    private static let segment = 1448

    init(
        _ profile: Profile,
        seed: UInt64,
        pings: Int = 40,
        segments: Int = 400,
        window: Int,
        knowsDirection: Bool = true,
        isAtServer: Bool = false
    ) {
        (self.knowsDirection, self.isAtServer) = (knowsDirection, isAtServer)
        let start = LinkTime(nanoseconds: 0)
        uplink = LinkPipeline(LaneConditions(profile, .uplink), seed: seed, lane: 0, start: start)
        downlink = LinkPipeline(LaneConditions(profile, .downlink), seed: seed, lane: 1, start: start)
        for number in 0..<pings {
            send(Packet(isUplink: true, number: number))
            while let packet = receive() { if packet.isUplink { send(Packet(isUplink: false, number: number)) } }
            now += 1_000_000_000
        }
        send(Packet(isUplink: true, flags: 0x02))
        while let packet = receive() {
            if packet.isUplink { send(Packet(isUplink: false, flags: 0x12)) }
        }
        send(Packet(isUplink: true))
        while receive() != nil {}
        for isUplink in [false, true] { transfer(segments, window, isUplink: isUplink) }
    }

    /// Each segment that arrives is acknowledged, and each acknowledgement lets another one be sent.
    private mutating func transfer(_ segments: Int, _ window: Int, isUplink: Bool) {
        var sent = 0
        var (next, echo): (Int, UInt32) = (0, 0)
        func segment(_ capture: inout SimulatedCapture) {
            let stamp = UInt32(capture.now / 1_000_000 + 1)
            capture.send(
                Packet(
                    isUplink: isUplink,
                    sequence: sent * Self.segment,
                    payload: Self.segment,
                    stamp: stamp,
                    echo: echo
                )
            )
            sent += 1
        }
        for _ in 0..<min(window, segments) { segment(&self) }
        while let packet = receive() {
            if packet.payload > 0 {
                next = max(next, packet.sequence + packet.payload)
                let stamp = UInt32(now / 1_000_000 + 1)
                send(Packet(isUplink: !isUplink, acknowledgment: next, stamp: stamp, echo: packet.stamp))
            } else {
                echo = packet.stamp
                if sent < segments { segment(&self) }
            }
        }
    }

    private mutating func send(_ packet: Packet) {
        let tag = UInt32(underway.count)
        underway.append(packet)
        if packet.isUplink != isAtServer { record(packet) }
        let (time, bytes) = (LinkTime(nanoseconds: now), packet.length + 14)
        if packet.isUplink {
            _ = uplink.accept(arrival: time, frameBytes: bytes, tag: tag)
        } else {
            _ = downlink.accept(arrival: time, frameBytes: bytes, tag: tag)
        }
    }

    /// The next packet that arrives at either end; nil if none is under way.
    private mutating func receive() -> Packet? {
        while true {
            let (up, down) = (uplink.nextDeparture ?? .never, downlink.nextDeparture ?? .never)
            guard min(up, down) < .never else { return nil }
            guard let departure = up <= down ? uplink.popDeparture(upTo: up) : downlink.popDeparture(upTo: down) else {
                return nil
            }
            now = max(now, departure.due.nanoseconds)
            guard departure.drop == nil else { continue }
            let packet = underway[Int(departure.tag)]
            if packet.isUplink == isAtServer { record(packet) }
            return packet
        }
    }

    private mutating func record(_ packet: Packet) {
        func big(_ value: Int, _ bytes: Int) -> [UInt8] {
            (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let ends: [[UInt8]] = packet.isUplink ? [[10, 0, 0, 1], [10, 0, 0, 2]] : [[10, 0, 0, 2], [10, 0, 0, 1]]
        let kind: UInt8 = packet.number == nil ? 6 : 1
        var bytes: [UInt8] = [0x45, 0] + big(packet.length, 2) + [0, 0, 0x40, 0, 64, kind, 0, 0] + ends[0] + ends[1]
        if let number = packet.number {
            bytes += [packet.isUplink ? 8 : 0, 0, 0, 0, 0, 7] + big(number, 2)
        } else {
            bytes += packet.isUplink ? [0x9C, 0x40, 0, 80] : [0, 80, 0x9C, 0x40]
            bytes += big(packet.sequence + 1, 4) + big(packet.acknowledgment + 1, 4) + [0x80, packet.flags]
            bytes += big(65_535, 2) + [0, 0, 0, 0, 1, 1, 8, 10] + big(Int(packet.stamp), 4) + big(Int(packet.echo), 4)
        }
        var captured = CapturedPacket(time: 1_700_000_000_000_000_000 + now, bytes: bytes)
        captured.length = packet.length
        if knowsDirection { captured.direction = packet.isUplink != isAtServer ? .outbound : .inbound }
        records.append(.packet(captured))
    }

    /// The link that the capture is fitted by.
    func fitted() throws -> FittedLink {
        var sampler = CaptureSampler()
        for record in records { sampler.add(record) }
        return try FittedLink(sampler.finish(), name: "fitted")
    }
}
