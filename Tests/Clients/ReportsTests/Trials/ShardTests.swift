// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import Reports

@Suite struct ShardTests {
    @Test(
        arguments: [
            ("2/4", [:], "2/4"), ("1/1", [:], "1/1"), ("9/12", ["CI_NODE_INDEX": "1"], "9/12"),
            // GitLab counts from 1.
            ("auto", ["CI_NODE_INDEX": "4", "CI_NODE_TOTAL": "4"], "4/4"),
            ("auto/8", ["CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "4"], "1/8"),
            // Kubernetes counts from 0, and does not say how many there are.
            ("auto/4", ["JOB_COMPLETION_INDEX": "0"], "1/4"), ("auto/4", ["JOB_COMPLETION_INDEX": "3"], "4/4"),
            ("auto", ["JOB_COMPLETION_INDEX": "1", "CI_NODE_TOTAL": "4"], "2/4"),
            ("auto/4", ["JOB_COMPLETION_INDEX": "3", "CI_NODE_INDEX": ""], "4/4"),
        ] as [(String, [String: String], String)]
    )
    func isGivenOrReadFromTheEnvironment(text: String, environment: [String: String], expected: String) throws {
        let shard = try Shard(parsing: text, environment: environment)
        #expect("\(shard)" == expected)
        #expect(Shard(json: shard.json) == shard)
    }

    @Test(
        arguments: [
            ("0/4", [:], "'0/4' is not K/N with K from 1 to N, nor auto, nor auto/N"),
            ("9/8", [:], "'9/8' is not K/N"), ("x", [:], "'x' is not K/N"), ("1/0", [:], "'1/0' is not K/N"),
            ("", [:], "'' is not K/N"), ("+1/4", [:], "'+1/4'"), ("1/4/2", [:], "'1/4/2'"), ("1/100001", [:], "K/N"),
            ("auto", [:], "auto needs CI_NODE_INDEX or JOB_COMPLETION_INDEX, and neither is set"),
            ("auto/4", ["CI_NODE_TOTAL": "4"], "auto/4 needs CI_NODE_INDEX or JOB_COMPLETION_INDEX"),
            (
                "auto/4", ["CI_NODE_INDEX": "1", "JOB_COMPLETION_INDEX": "0"],
                "both CI_NODE_INDEX and JOB_COMPLETION_INDEX are set"
            ),
            ("auto", ["JOB_COMPLETION_INDEX": "0"], "JOB_COMPLETION_INDEX is set, but CI_NODE_TOTAL is not"),
            ("auto", ["CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "0"], "CI_NODE_TOTAL is '0', and not a number from 1 to"),
            ("auto/", ["CI_NODE_INDEX": "1"], "auto/N: '', and not a number from 1 to 100000"),
            ("auto/4", ["CI_NODE_INDEX": "5"], "CI_NODE_INDEX is '5', and not a number from 1 to 4"),
            ("auto/4", ["CI_NODE_INDEX": "0"], "CI_NODE_INDEX is '0', and not a number from 1 to 4"),
            ("auto/4", ["JOB_COMPLETION_INDEX": "4"], "JOB_COMPLETION_INDEX is '4', and not a number from 0 to 3"),
            ("auto/4", ["JOB_COMPLETION_INDEX": "one"], "JOB_COMPLETION_INDEX is 'one', and not a number from 0 to 3"),
        ] as [(String, [String: String], String)]
    )
    func saysWhatIsAllowed(text: String, environment: [String: String], words: String) {
        let error = #expect(throws: UnreadableShard.self) { try Shard(parsing: text, environment: environment) }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }
}
