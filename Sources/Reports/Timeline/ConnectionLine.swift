// SPDX-License-Identifier: Apache-2.0

package import ClientObservation

/// One connection of a timeline. All times count from the start of the command.
package struct ConnectionLine: Hashable, Sendable {
    /// How it came to its end.
    package enum End: String, Hashable, Sendable {
        /// A side sent FIN first.
        case finished
        /// A side sent RST.
        case reset
        /// The client stopped asking for it before it was accepted.
        case givenUp = "given up"
        /// Its process ended, or no packet tells.
        case silent
        /// It was open when the command had ended.
        case open
    }

    /// A time in which nothing arrived from the server.
    package struct Silence: Hashable, Sendable {
        package var begin: Duration
        package var end: Duration
    }

    /// "tcp", "udp" or "quic".
    package var carrier: String
    package var client: String
    package var server: String
    package var serverName: String?
    /// The process that held it: "curl (1234)"; nil if that is not known.
    package var owner: String?
    /// The number of its first packet in the capture.
    package var packet: Int
    package var begin: Duration
    /// Of one connection no more times than this are kept of a kind, the first ones.
    static let timeLimit = 200

    /// When each attempt was sent, those of the kernel for one connection included.
    package var attempts: [Duration] = []
    /// All of them: more than `attempts` if there were too many to keep.
    package var attemptCount = 0
    /// When it was accepted; nil if the client had it no longer then.
    package var accepted: Duration?
    /// When its TLS handshake was complete.
    package var secured: Duration?
    package var firstByte: Duration?
    package var lastByte: Duration?
    package var end: Duration
    package var ending: End
    /// Who ended it, for `finished` and `reset`.
    package var endedBy: Connection.Side?
    /// When the client sent something again, and when the server did.
    package var clientRetransmissions: [Duration] = []
    package var serverRetransmissions: [Duration] = []
    /// How often each side sent something again: more than the times above if there were too many to keep.
    package var sentAgain = SideCounts()
    /// Times of a second or more in which nothing arrived.
    package var silences: [Silence] = []
    /// The round trips of its data and acknowledgements.
    package var roundTrips = DurationSummary()
    package var requests = 0
    /// Bytes of IP packets that each side sent.
    package var bytes = SideCounts()

    /// Whom it was opened to, for people.
    package var peer: String { serverName.map { "\($0) (\(server))" } ?? server }
}
