// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts

/// The topics of `linkcond help`, which are manual pages, too.
enum HelpTopic: String, CaseIterable {
    case profiles, scenarios, faults, rules, expectations

    /// The first line is a title; an example begins with a line that ends with ":".
    var text: String {
        switch self {
        case .profiles: Self.profilesText
        case .scenarios: Self.scenariosText
        case .faults: Self.faultsText
        case .rules: Self.rulesText
        case .expectations: Self.expectationsText
        }
    }

    private static var expectationsText: String {
        let examples = ClientExpectation.explainedExamples.map { "  \($0.text)\n      \($0.meaning)" }
        return """
            Expectations: a client's behaviour, as its packets and its processes show it

            They stand in "run --expect", in scenarios, and in tests:

            \(examples.joined(separator: "\n"))

            A label, 'LABEL', is a step of a scenario or a mark ("linkcond mark LABEL"): "of" it for times, "during"
            it for numbers. "to HOST:PORT" after the subject counts one peer only:

              at most 3 requests to api.test:80

            Requests are those of HTTP/1, HTTP/2 and gRPC; in TLS, SSLKEYLOGFILE has to name the file of the keys.
            Evidence that is missing makes a verdict inconclusive: the exit status is 0, and 1 with --strict.

              linkcond run 3g --expect 'completes within 30 s' --expect 'leaves no connection open' -- ./test
            """
    }
}
