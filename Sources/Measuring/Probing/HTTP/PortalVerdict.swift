// SPDX-License-Identifier: Apache-2.0

/// Whether a captive portal stands between this host and the internet, judged by responses in the name of several known
/// servers.
public enum PortalVerdict: Hashable, Sendable {
    /// The responses come from the servers themselves.
    case open
    /// A portal responds in the servers' place: how that shows, and where it redirects to, if it does.
    case captive(Reason, location: String?)
    /// Too few servers have responded.
    case unknown

    /// An HTTP request with `detectsPortal`, and its result.
    public struct Answer: Hashable, Sendable {
        /// The request.
        public let question: HTTPQuestion
        /// The result of the request.
        public let observation: Observation

        /// Pairs a request with its result.
        public init(_ question: HTTPQuestion, _ observation: Observation) {
            self.question = question
            self.observation = observation
        }
    }

    /// The number of different servers that must have responded: a single one may be blocked, replaced or allowed by
    /// the portal.
    public static let leastServers = 2

    /// Judges the results of one round of requests.
    ///
    /// A server that fails or does not respond is ignored. A server whose certificate is untrusted or for another host
    /// counts as intercepted if a plain HTTP request of the same round got a response. The network is open if the
    /// responses of at least half of the servers that count are genuine.
    public init(_ answers: [Answer]) {
        let isPlainAnswered = answers.contains { !$0.question.isSecure && $0.observation.status != nil }
        var signs: [String: [Sign]] = [:]
        for answer in answers {
            guard let sign = Sign(answer.observation, isPlainAnswered && answer.question.isSecure) else { continue }
            signs[answer.question.host.lowercased(), default: []].append(sign)
        }
        guard signs.count >= Self.leastServers else {
            self = .unknown
            return
        }
        // A server with several responses counts as captive if one of them is.
        let worst = signs.values.compactMap { $0.max { $0.rank < $1.rank } }
        let captive = worst.filter { $0.reason != nil }
        guard captive.count * 2 > worst.count, let telling = captive.max(by: { $0.rank < $1.rank }),
            let reason = telling.reason
        else {
            self = .open
            return
        }
        self = .captive(reason, location: telling.location)
    }

    private struct Sign {
        /// How the portal shows; nil for a genuine response.
        var reason: Reason?
        var location: String?

        init?(_ observation: Observation, _ isComparable: Bool) {
            switch observation.finding {
            case .answered: break
            case .failed(let reason) where reason.scope == .portal:
                self.reason = reason
                location = observation.location
            case .failed(.tlsUntrusted) where isComparable, .failed(.tlsNameMismatch) where isComparable:
                reason = .portalInterception
            default: return nil
            }
        }

        /// How strong the evidence of a portal is: the higher, the stronger.
        var rank: Int {
            guard let reason else { return 0 }
            let order: [Reason] = [.portalInterception, .portalContent, .portalHTTP511, .portalRedirect]
            return (order.firstIndex(of: reason) ?? 0) + (location == nil ? 1 : 5)
        }
    }
}
