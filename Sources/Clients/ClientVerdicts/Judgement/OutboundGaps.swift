// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic

/// The gaps in which a client sent nothing on a connection: a NAT router forgets idle connections.
struct OutboundGaps {
    /// A period without a packet of the client.
    struct Gap {
        let connection: Connection
        /// The sending time of the packet before the gap, and the time of the next packet, or of the connection's end.
        /// Accurate to 10 ms.
        let begin: Instant, end: Instant
        /// The bounds of the gap's length.
        let minimum: Duration, maximum: Duration
    }

    private static let piece = Duration.nanoseconds(Volume.length)

    /// The gap with the greatest minimum length, and the gap with the greatest maximum length.
    let longest: Gap, longestPossible: Gap
    /// The time for which the client had the connection, as far as is known.
    let length: Duration
    /// The time for which it is unknown whether the client still had the connection: no packet shows the end of UDP.
    let unknown: Duration

    /// - Parameter life: nil for UDP and QUIC.
    init?(_ connection: Connection, _ life: ConnectionLife?, until end: Instant) {
        let sent = connection.volume.filter { $0.bytes.client > 0 }.map(\.begin)
        guard let first = sent.first, let last = sent.last, let lastActivity = connection.volume.last?.begin
        else { return nil }
        var gaps = zip(sent, sent.dropFirst()).map { before, next in
            Gap(
                connection: connection,
                begin: before,
                end: next,
                minimum: next - before - Self.piece,
                maximum: next - before + Self.piece
            )
        }
        // The client certainly had the connection until `certainEnd`, and at most until `latestEnd` as far as is known.
        let (certainEnd, latestEnd): (Instant, Instant)
        if let life {
            // After the server's FIN, keep-alives are not needed.
            let finish = connection.ending(by: .server, .finish)?.noticed
            let last = min(finish ?? .distantFuture, end)
            (certainEnd, latestEnd, unknown) = (min(life.surelyHeld, last), min(life.end, last), .zero)
        } else {
            (certainEnd, latestEnd) = (lastActivity, lastActivity + Self.piece)
            unknown = max(end - lastActivity, .zero)
        }
        gaps.append(
            Gap(
                connection: connection,
                begin: last,
                end: max(certainEnd, last),
                minimum: certainEnd - last - Self.piece,
                maximum: max(latestEnd - last, .zero)
            )
        )
        guard let longest = gaps.max(by: { $0.minimum < $1.minimum }),
            let possible = gaps.max(by: { $0.maximum < $1.maximum })
        else {
            return nil
        }
        (self.longest, longestPossible) = (longest, possible)
        length = latestEnd - first
    }
}
