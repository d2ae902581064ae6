// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts

/// The text of `linkcond help expectations`.
enum ExpectationHelp {
    static var lines: [String] {
        let examples = ClientExpectation.explainedExamples.flatMap { ["  \($0.text)", "      \($0.meaning)"] }
        return ["What can be expected of a client, in \"run --expect\", in scenarios, and in tests:", ""] + examples + [
            "",
            "A label, 'LABEL', is a step of a scenario or a mark (\"linkcond mark LABEL\"): \"of\" it for times, \"during\" it",
            "for numbers. \"to HOST:PORT\" after the subject counts one peer only: at most 3 requests to api.test:80.",
        ]
    }
}
