// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import InternetAddresses

/// The first fragments of datagrams, until it is known what became of the others: a datagram arrives as a whole or not at all.
struct FragmentedDatagrams {
    /// A first fragment, which has the ports.
    struct First {
        let packet: CapturedPacket
        let headers: PacketHeaders
        /// The delivery of the latest of the fragments so far; never, if one was lost.
        var timed: TimedPacket
        fileprivate let key: Key
        /// The bytes of the fragments so far, and of all.
        fileprivate var bytes: Int
        fileprivate var whole: Int?
    }

    fileprivate struct Key: Hashable {
        let source: IPAddress
        let destination: IPAddress
        let identification: UInt32
    }

    /// At most this many datagrams wait: the fragments of one come one after the other.
    private static let maximum = 64

    private var waiting: [First] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// Adds a packet; returns those of which all is known now.
    ///
    /// - Returns: nil for a packet that does not wait for others, and that no other waits for.
    mutating func add(_ packet: CapturedPacket, _ headers: PacketHeaders, _ timed: TimedPacket) -> [First]? {
        guard let ip = headers.ip, ip.isFragment, ip.transportProtocol == IPHeader.udp else { return nil }
        let key = Key(source: ip.source, destination: ip.destination, identification: ip.identification)
        let index = waiting.firstIndex { $0.key == key }
        if ip.fragmentOffset == 0 {
            guard timed.observed.delivered != nil else { return nil }
            let bytes = Self.headerOfUDP + headers.payloadLength
            let first = First(packet: packet, headers: headers, timed: timed, key: key, bytes: bytes)
            // The sender uses the identification again, or the link has made a copy.
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

    /// Removes the datagrams of which other fragments were not seen.
    mutating func removeAll() -> [First] {
        defer { waiting = [] }
        return waiting
    }

    private static let headerOfUDP = 8
}
