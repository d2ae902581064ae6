// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkProfiles
internal import LinkVerification

/// The datagrams of one direction, numbered from 0.
///
/// A datagram starts with three copies of its number (one if it is shorter than 24 bytes), followed by zeros, so that
/// the receiver detects damage.
struct ProbeFlow {
    private var pace: PacedSends
    private let source: ConnectedSocket
    private let sink: ConnectedSocket
    private let frameBytes: Int
    private var bytes: [UInt8]
    private var arriving = [lc_datagram](repeating: lc_datagram(), count: 32)
    private var came: [FlowRecord.Arrival] = []

    init(
        _ traffic: ProbeTraffic,
        isIPv6: Bool,
        from source: ConnectedSocket,
        to sink: ConnectedSocket,
        start: Int64
    ) throws(ProbeError) {
        pace = PacedSends(traffic, start: start)
        (self.source, self.sink) = (source, sink)
        frameBytes = traffic.frameBytes(isIPv6: isIPv6)
        bytes = [UInt8](repeating: 0, count: traffic.payload * traffic.group)
        came.reserveCapacity(traffic.packets)
        if traffic.group > 1 { try source.split(into: traffic.payload) }
    }

    private var traffic: ProbeTraffic { pace.traffic }

    /// When the next group is due, in nanoseconds; `.max` after the last one.
    var next: Int64 { pace.next }

    /// Whether all packets were sent, and at least that number of datagrams has arrived, duplicates included.
    var isComplete: Bool { next == .max && came.count >= traffic.packets }

    /// Sends the next group of datagrams, at time `now`.
    mutating func send(_ now: Int64) throws(ProbeError) {
        let packets = pace.dequeue(now)
        for (place, packet) in packets.enumerated() {
            withUnsafeBytes(of: Int64(packet)) { number in
                for copy in 0..<(traffic.payload >= 24 ? 3 : 1) {
                    for (offset, byte) in number.enumerated() {
                        bytes[place * traffic.payload + copy * 8 + offset] = byte
                    }
                }
            }
        }
        try source.send(bytes[..<(packets.count * traffic.payload)])
    }

    /// Reads all waiting datagrams; returns false if there were none.
    mutating func receive() throws(ProbeError) -> Bool {
        var hasNews = false
        while true {
            let count = Int(lc_receive_datagrams(sink.descriptor, &arriving, 32))
            if count == -Int(ProbeError.wouldBlock) { return hasNews }
            // ECONNREFUSED reports an earlier datagram: the other socket was closed.
            if count == -Int(ECONNREFUSED) { continue }
            guard count > 0 else { throw ProbeError("recvmmsg", Int32(-count)) }
            for place in 0..<count {
                if let arrival = Self.arrival(arriving[place], traffic.payload),
                    pace.sent.indices.contains(arrival.packet)
                {
                    came.append(arrival)
                }
            }
            hasNews = true
            if count < 32 { return true }
        }
    }

    /// Decodes the packet's number, by a majority of its three copies; nil if the datagram has no valid number.
    private static func arrival(_ datagram: lc_datagram, _ payload: Int) -> FlowRecord.Arrival? {
        withUnsafeBytes(of: datagram.bytes) { bytes in
            let length = Int(datagram.length)
            guard length >= 8 else { return nil }
            func number(_ copy: Int) -> Int64 { bytes.loadUnaligned(fromByteOffset: copy * 8, as: Int64.self) }
            var isDamaged = length != payload
            var own = number(0)
            if length >= 24 {
                let others = (number(1), number(2))
                if own != others.0 || own != others.1 { isDamaged = true }
                if own != others.0, own != others.1 { own = others.0 }
                isDamaged = isDamaged || bytes[24..<min(length, bytes.count)].contains { $0 != 0 }
            }
            let isMarked = datagram.traffic_class & 3 == ConnectedSocket.congestionExperienced
            guard let packet = Int(exactly: own) else { return nil }
            return FlowRecord.Arrival(packet: packet, time: datagram.time, isDamaged: isDamaged, isMarked: isMarked)
        }
    }

    var record: FlowRecord { FlowRecord(frameBytes: frameBytes, sends: pace.sent, arrivals: came) }

    /// How long after its due time each packet was sent, in nanoseconds.
    var lateness: [Int64] { pace.lateness }
}
