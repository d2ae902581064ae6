// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@Suite struct JSONPathTests {
    @Test(arguments: [
        ("rate", "$.rate"), ("p13", "$.p13"), ("_comment", "$._comment"), ("naïve", "$.naïve"),
        ("down-link", "$[\"down-link\"]"),
        ("$schema", "$[\"$schema\"]"), ("", "$[\"\"]"), ("1st", "$[\"1st\"]"), ("a.b", "$[\"a.b\"]"),
        ("a\"b", "$[\"a\\\"b\"]"),
        ("a\nb", "$[\"a\\nb\"]"),
    ])
    func quotesNamesThatAreNotPlain(name: String, text: String) {
        #expect(JSONPath.root.appending(name).description == text)
    }

    @Test func joinsNamesAndIndices() {
        let path = JSONPath.root.appending("schedule").appending("steps").appending(0).appending("at")
        #expect(path.description == "$.schedule.steps[0].at")
    }

    @Test func startsAtTheDocument() {
        #expect(JSONPath.root.description == "$")
    }
}
