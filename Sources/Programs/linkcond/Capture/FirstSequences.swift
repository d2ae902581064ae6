// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import ClientTraffic
import InternetAddresses

/// The first sequence number of each direction of a connection, so that lines show how far it has come.
struct FirstSequences {
    private struct Flow: Hashable {
        var source: Endpoint
        var destination: Endpoint
    }

    /// Connections beyond these are shown anew with their numbers.
    private static let maximum = 10_000

    private var first: [Flow: TCPSequence] = [:]

    /// The numbers to subtract from a segment's: `own` from the sequence number, `other` from the acknowledgment.
    mutating func bases(
        of tcp: TCPHeader,
        from source: IPAddress,
        to destination: IPAddress
    ) -> (own: TCPSequence, other: TCPSequence) {
        let (source, destination) = (Endpoint(source, tcp.sourcePort), Endpoint(destination, tcp.destinationPort))
        let flow = Flow(source: source, destination: destination)
        let reverse = Flow(source: destination, destination: source)
        if first.count > Self.maximum { first = [:] }
        // A new connection of the same ports begins anew.
        if tcp.flags.contains(.syn) || first[flow] == nil { first[flow] = tcp.sequence }
        if tcp.flags.contains(.acknowledgment), first[reverse] == nil { first[reverse] = tcp.acknowledgment - 1 }
        return (first[flow] ?? 0, first[reverse] ?? 0)
    }
}
