// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import InternetAddresses

/// First fragments that wait until the datagram's other fragments are read: a datagram arrives whole or not at all, and
/// its sender has sent all its bytes.
struct FragmentedDatagrams {
    /// A first fragment, which has the ports.
    struct First {
        let packet: CapturedPacket
        let headers: PacketHeaders
        /// The first fragment's times, but delivered with the latest fragment so far; not delivered if one was lost.
        var timed: TimedPacket
        /// The bytes of the other fragments so far, with their IP headers.
        fileprivate(set) var otherBytes = 0
        fileprivate let key: Key
        /// The bytes of the fragments so far, and of the whole datagram; nil until the last fragment is read.
        fileprivate var bytes: Int
        fileprivate var whole: Int?
    }

    fileprivate struct Key: Hashable {
        let source: IPAddress
        let destination: IPAddress
        let identification: UInt32
    }

    /// At most this many datagrams wait: the fragments of a datagram are sent one after the other.
    private static let maximum = 64

    private var waiting: [First] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// Adds a packet; returns the first fragments of the datagrams that are complete now.
    ///
    /// - Parameter length: the packet's bytes from the IP header on.
    /// - Returns: nil if the packet is to be read by itself: it is no fragment of a datagram that waits.
    mutating func add(
        _ packet: CapturedPacket,
        _ headers: PacketHeaders,
        _ timed: TimedPacket,
        length: Int
    ) -> [First]? {
        guard let ip = headers.ip, ip.isFragment, ip.transportProtocol == IPHeader.udp else { return nil }
        let key = Key(source: ip.source, destination: ip.destination, identification: ip.identification)
        let index = waiting.firstIndex { $0.key == key }
        if ip.fragmentOffset == 0 {
            let bytes = Self.headerOfUDP + headers.payloadLength
            let first = First(packet: packet, headers: headers, timed: timed, key: key, bytes: bytes)
            // The sender has reused the identification, or the link has copied the fragment: the earlier one waits no
            // longer.
            let earlier = index ?? (waiting.count == Self.maximum ? 0 : nil)
            defer { waiting.append(first) }
            return earlier.map { [waiting.remove(at: $0)] } ?? []
        }
        guard let index else { return nil }
        // A copy that the link has made adds nothing to what the sender has sent.
        guard timed.isSent else { return [] }
        waiting[index].bytes += headers.payloadLength
        waiting[index].otherBytes = min(waiting[index].otherBytes + length, Self.longestDatagram)
        if let known = waiting[index].timed.observed.delivered {
            let delivered = timed.observed.delivered.map { max($0, known) }
            waiting[index].timed = waiting[index].timed.delivered(at: delivered)
        }
        if !ip.hasMoreFragments { waiting[index].whole = ip.fragmentOffset + headers.payloadLength }
        guard let whole = waiting[index].whole, waiting[index].bytes >= whole else { return [] }
        return [waiting.remove(at: index)]
    }

    /// Removes and returns the first fragments whose other fragments were not all seen.
    mutating func removeAll() -> [First] {
        defer { waiting = [] }
        return waiting
    }

    private static let headerOfUDP = 8
    /// Of a datagram of 65,535 bytes in fragments of 8, each with an IPv6 header and a fragment header. A capture may
    /// contain any number of fragments; the limit keeps sums of many lengths from overflowing.
    private static let longestDatagram = 8_192 * (8 + 48)
}
