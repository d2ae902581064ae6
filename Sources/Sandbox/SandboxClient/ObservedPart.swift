// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import ClientVerdicts
internal import LinkProfiles

/// A part of the run of this sandbox, judged by the process that reads the run's packets.
package struct ObservedPart {
    private let client: ControlClient
    private var request = JudgeRequest([])

    /// The error for a part whose first mark or step never began.
    package struct NoBegin: Error {
        /// The mark or step that never began.
        package let label: String
    }

    /// The error for a part that began before the run was observed.
    package struct NotObserved: Error {}

    /// The verdicts on a part.
    package struct Verdicts: Hashable, Sendable {
        /// The first moment of the part.
        package var begin: Instant
        /// The verdict on each expectation, in their order.
        package var judgements: [Judgement]
    }

    /// Describes a part, for the test of this name.
    package init(
        of client: ControlClient,
        from begin: JudgeRequest.Begin,
        to end: Instant,
        _ scope: PartScope = PartScope(),
        test: String? = nil
    ) {
        self.client = client
        (request.begin, request.end, request.scope, request.test) = (begin, end, scope, test)
    }

    /// Describes the run so far, with verdicts at once: a failure is only what no later packet can change.
    package init(live client: ControlClient, from begin: JudgeRequest.Begin, _ scope: PartScope = PartScope()) {
        self.client = client
        (request.begin, request.isLive, request.scope) = (begin, true, scope)
    }

    /// Requests verdicts on `expectations`. They come once the link has delivered the client's packets, unless the part
    /// is live.
    package func judge(_ expectations: [ClientExpectation]) throws -> Verdicts {
        var request = request
        request.expectations = expectations.map(\.description)
        let answer: JSON
        do {
            answer = try client.judge(request)
        } catch {
            if error.kind == .unknownLabel, case .label(let label) = request.begin { throw NoBegin(label: label) }
            if error.kind == .observedLater { throw NotObserved() }
            throw error
        }
        guard let verdicts = TestVerdicts(json: answer), verdicts.results.count == expectations.count else {
            throw ControlClient.Refusal.otherVersion
        }
        let judgements = zip(expectations, verdicts.results).map { expectation, result in
            Judgement(expectation, result.verdict, result.finding, packets: result.packets, remedy: result.remedy)
        }
        return Verdicts(begin: verdicts.begin, judgements: judgements)
    }
}
