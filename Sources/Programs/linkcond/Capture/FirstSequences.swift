// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import ClientTraffic
import InternetAddresses

/// The initial sequence number of each direction of connections, so that lines show relative numbers.
struct FirstSequences {
    private struct Flow: Hashable {
        var source: Endpoint
        var destination: Endpoint
    }

    /// The maximum number of remembered flows. When there are more, all are forgotten. Each flow's numbers then start
    /// again at its next segment.
    private static let maximum = 10_000

    private var first: [Flow: TCPSequence] = [:]

    /// The numbers to subtract from a segment's sequence number (`own`) and from its acknowledgement number (`other`).
    mutating func bases(
        of tcp: TCPHeader,
        from source: IPAddress,
        to destination: IPAddress
    ) -> (own: TCPSequence, other: TCPSequence) {
        let (source, destination) = (Endpoint(source, tcp.sourcePort), Endpoint(destination, tcp.destinationPort))
        let flow = Flow(source: source, destination: destination)
        let reverse = Flow(source: destination, destination: source)
        if first.count > Self.maximum { first = [:] }
        // A SYN starts a new connection, which may reuse the ports of an earlier one.
        if tcp.flags.contains(.syn) || first[flow] == nil { first[flow] = tcp.sequence }
        if tcp.flags.contains(.acknowledgment), first[reverse] == nil { first[reverse] = tcp.acknowledgment - 1 }
        return (first[flow] ?? 0, first[reverse] ?? 0)
    }
}
