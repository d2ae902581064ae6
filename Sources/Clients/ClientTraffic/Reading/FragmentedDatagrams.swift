// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import InternetAddresses

/// First fragments that wait until the fate of the datagram's other fragments is known: a datagram arrives whole or not
/// at all.
struct FragmentedDatagrams {
    /// A first fragment, which has the ports.
    struct First {
        let packet: CapturedPacket
        let headers: PacketHeaders
        /// The first fragment's times, but delivered with the latest fragment so far; not delivered if one was lost.
        var timed: TimedPacket
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

    /// Adds a packet; returns the first fragments of the datagrams whose fate is known now.
    ///
    /// - Returns: nil if the packet is to be read by itself: it is no fragment of a datagram that waits.
    mutating func add(_ packet: CapturedPacket, _ headers: PacketHeaders, _ timed: TimedPacket) -> [First]? {
        guard let ip = headers.ip, ip.isFragment, ip.transportProtocol == IPHeader.udp else { return nil }
        let key = Key(source: ip.source, destination: ip.destination, identification: ip.identification)
        let index = waiting.firstIndex { $0.key == key }
        if ip.fragmentOffset == 0 {
            guard timed.observed.delivered != nil else { return nil }
            let bytes = Self.headerOfUDP + headers.payloadLength
            let first = First(packet: packet, headers: headers, timed: timed, key: key, bytes: bytes)
            // The sender has reused the identification, or the link has copied the fragment: the earlier one waits no
            // longer.
            let earlier = index ?? (waiting.count == Self.maximum ? 0 : nil)
            defer { waiting.append(first) }
            return earlier.map { [waiting.remove(at: $0)] } ?? []
        }
        guard let index else { return nil }
        guard let delivered = timed.observed.delivered else {
            var first = waiting.remove(at: index)
            first.timed = first.timed.delivered(at: nil)
            return [first]
        }
        waiting[index].bytes += headers.payloadLength
        if let known = waiting[index].timed.observed.delivered, known < delivered {
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
}
