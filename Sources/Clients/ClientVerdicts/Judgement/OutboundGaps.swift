// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic

/// The times in which a client sent nothing on a connection that it had: a router with NAT forgets those that are idle.
struct OutboundGaps {
    /// A time without a packet of the client.
    struct Gap {
        let connection: Connection
        /// The gap's start, when the packet before it was sent, and its end: the next packet, or the connection's.
        /// Within 10 ms.
        let begin: Instant, end: Instant
        /// The bounds of its length.
        let minimum: Duration, maximum: Duration
    }

    private static let piece = Duration.nanoseconds(Volume.length)

    /// The gap that is certainly the longest, and the one that is the longest if nothing is certain.
    let longest: Gap, longestPossible: Gap
    /// The time for which the client had the connection, as far as is known.
    let length: Duration
    /// The time for which it is unknown whether the client still had it: no packet shows the end of UDP.
    let unknown: Duration

    /// - Parameter life: nil for UDP and QUIC.
    init?(_ connection: Connection, _ life: ConnectionLife?, until end: Instant) {
        let sent = connection.volume.filter { $0.bytes.client > 0 }.map(\.begin)
        guard let first = sent.first, let last = sent.last, let packet = connection.volume.last?.begin else {
            return nil
        }
        var gaps = zip(sent, sent.dropFirst()).map { before, next in
            Gap(
                connection: connection,
                begin: before,
                end: next,
                minimum: next - before - Self.piece,
                maximum: next - before + Self.piece
            )
        }
        let (sure, latest): (Instant, Instant)
        if let life {
            // After the server's FIN nothing more comes back.
            let finish = connection.ending(by: .server, .finish)?.noticed
            let last = min(finish ?? .distantFuture, end)
            (sure, latest, unknown) = (min(life.surelyHeld, last), min(life.end, last), .zero)
        } else {
            (sure, latest, unknown) = (packet, packet + Self.piece, max(end - packet, .zero))
        }
        gaps.append(
            Gap(
                connection: connection,
                begin: last,
                end: max(sure, last),
                minimum: sure - last - Self.piece,
                maximum: max(latest - last, .zero)
            )
        )
        guard let longest = gaps.max(by: { $0.minimum < $1.minimum }),
            let possible = gaps.max(by: { $0.maximum < $1.maximum })
        else {
            return nil
        }
        (self.longest, longestPossible) = (longest, possible)
        length = latest - first
    }
}
