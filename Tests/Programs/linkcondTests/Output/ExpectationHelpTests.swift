// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import TestKit
import Testing

/// `linkcond help expectations`
struct ExpectationHelpTests {
    @Test func listsAnExpectationOfEachForm() throws {
        let result = try Program.run("help", "expectations")
        #expect(result.status == 0 && result.errors.isEmpty)
        for example in ClientExpectation.examples {
            #expect(result.output.contains("\n  \(example)\n      "), "\(example)")
        }
    }

    @Test func namesTheNearestOfWhatIsNotUnderstood() throws {
        let result = try Program.shell(#"exec "$LINKCOND" run --offline --expect 'no connection left open' -- true"#)
        #expect(
            result.status == 125 && result.errors.contains("did you mean \"leaves no connection open\"?"),
            "\(result)"
        )
    }
}
