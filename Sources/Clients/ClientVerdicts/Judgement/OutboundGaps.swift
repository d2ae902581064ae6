// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic

/// The times in which a client sent nothing on a connection that it had: a router with NAT forgets those that are idle.
struct OutboundGaps {
    /// A time without a packet of the client.
    struct Gap {
        let connection: Connection
        /// When the packet before it was sent, and the end: the next packet, or that of the connection. Within 10 ms.
        let begin: Instant, end: Instant
        /// It was at least, and at most, so long.
        let least: Duration, most: Duration
    }

    private static let piece = Duration.nanoseconds(Volume.length)

    /// The gap that is certainly the longest, and the one that is the longest if nothing is certain.
    let longest: Gap, longestPossible: Gap
    /// How long the client had the connection, as far as anything tells.
    let length: Duration
    /// How long nothing tells whether it still had it: of UDP no packet shows the end.
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
                least: next - before - Self.piece,
                most: next - before + Self.piece
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
                least: sure - last - Self.piece,
                most: max(latest - last, .zero)
            )
        )
        guard let longest = gaps.max(by: { $0.least < $1.least }), let possible = gaps.max(by: { $0.most < $1.most })
        else {
            return nil
        }
        (self.longest, longestPossible) = (longest, possible)
        length = latest - first
    }
}
