// SPDX-License-Identifier: Apache-2.0

/// Whether a portal stands between this host and the internet, by what several known servers seem to have answered.
public enum PortalVerdict: Hashable, Sendable {
    /// The servers themselves answer.
    case open
    /// A portal answers in their place, in this way; where it sends to, if it says so.
    case captive(Reason, location: String?)
    /// Too few servers have answered.
    case unknown

    /// A question with `detectsPortal`, and what came of it.
    public struct Answer: Hashable, Sendable {
        /// The question.
        public let question: HTTPQuestion
        /// The observation.
        public let observation: Observation

        /// Puts both together.
        public init(_ question: HTTPQuestion, _ observation: Observation) {
            self.question = question
            self.observation = observation
        }
    }

    /// How many different servers must have been heard: one alone may be blocked, replaced or allowed by the portal.
    public static let leastServers = 2

    /// Judges the answers of one round.
    ///
    /// A server that fails or is silent says nothing. One whose certificate is untrusted or for another host is intercepted, if
    /// plain HTTP is answered in the same round. The network is open if at least half of the servers heard are.
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
        // A server whose answers differ is captive if any of them is.
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
        /// The reason; nil for a good answer.
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

        /// The more, the more it tells.
        var rank: Int {
            guard let reason else { return 0 }
            let order: [Reason] = [.portalInterception, .portalContent, .portalHTTP511, .portalRedirect]
            return (order.firstIndex(of: reason) ?? 0) + (location == nil ? 1 : 5)
        }
    }
}
