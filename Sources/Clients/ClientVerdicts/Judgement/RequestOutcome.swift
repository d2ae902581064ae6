// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
internal import LinkProfiles

/// The outcome of a request, for the client that sent it.
///
/// Every expectation about answers to requests uses this outcome: half an answer that ends with a reset is a failure,
/// like no answer at all.
package enum RequestOutcome: Hashable, Sendable {
    /// The answer is complete, or the client ended it early, and had all that it wanted.
    case answered
    /// No answer came, or only a part of one.
    case unanswered
    /// A part of an answer came, and nothing shows whether the client had enough of it.
    case half
    /// An answer may have come that could not be read.
    case unreadable
}

/// The end of an incomplete answer: its time, and the side that caused it.
struct AnswerEnding {
    /// The silence after which a client that ends the connection has lost the answer rather than cancelled the request.
    private static let silence = Duration.seconds(1)
    /// A client that ends an answer within this time after its latest byte did not wait for more.
    private static let reaction = Duration.milliseconds(100)

    /// The earliest and the latest time at which the answer may have ended for the client.
    let earliest: Instant, latest: Instant
    /// Whether the server ended the answer.
    let isOfServer: Bool
    /// The time at which the latest byte was delivered.
    private let last: Instant

    /// - Parameter life: the life of `connection`; nil if it is not known.
    init(of request: ObservedRequest, on connection: Connection, _ life: ConnectionLife?) {
        let last = request.received.last ?? request.answer?.delivered ?? request.packet.sent
        self.last = last
        let server = connection.endings.filter { $0.side == .server }.compactMap(\.noticed).min()
        let close = connection.ending(by: .client)?.noticed ?? .distantFuture
        let (held, end) = (life?.lastHeld ?? close, life?.end ?? close)
        if let reset = request.reset {
            (earliest, latest, isOfServer) = (reset, reset, request.isResetByServer)
        } else if let server, server <= end {
            (earliest, latest, isOfServer) = (server, server, true)
        } else {
            (earliest, latest, isOfServer) = (held, end, false)
        }
    }

    /// Whether the client lost the rest: the server ended the answer, or nothing more came for `silence`.
    var isLoss: Bool { isOfServer || latest - last >= Self.silence }

    /// Whether the client lost the rest, whatever happened between two scans of the sockets.
    var isCertainLoss: Bool { isOfServer || earliest < .distantFuture && earliest - last >= Self.silence }

    /// Whether the client ended the answer while bytes were still coming.
    var isCancelled: Bool { !isOfServer && latest >= last && latest - last < Self.reaction }
}

extension Connection {
    /// The outcome of a request on this connection.
    ///
    /// - Parameter life: the life of the connection; nil to go by its packets alone.
    package func outcome(of request: ObservedRequest, _ life: ConnectionLife? = nil) -> RequestOutcome {
        if let completed = request.completed, life?.isAnswered(by: completed) ?? true { return .answered }
        if request.completed == nil, request.mayBeAnswered, !request.switchesProtocol { return .unreadable }
        guard let answer = request.answer, life?.isAnswered(by: answer) ?? true else { return .unanswered }
        if request.switchesProtocol { return .answered }
        let ending = AnswerEnding(of: request, on: self, life)
        if ending.isCancelled { return .answered }
        // An event stream of unknown length may be idle for long before the client ends it.
        return ending.isOfServer || ending.isCertainLoss && request.received.length != nil ? .unanswered : .half
    }
}

extension ObservedRequest {
    /// Whether the answer switches to another protocol, which has no end of an answer.
    fileprivate var switchesProtocol: Bool {
        status == 101 || (method == "CONNECT" || isExtendedConnect) && 200...299 ~= status ?? 0
    }
}
