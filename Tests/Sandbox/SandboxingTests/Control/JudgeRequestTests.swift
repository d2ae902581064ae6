// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import ClientVerdicts
import LinkProfiles
import SandboxClient
import Testing

@testable import Sandboxing

/// The body of `POST /v1/judge`, and what the supervisor asks with it.
@Suite struct JudgeRequestTests {
    private static let requests: [JudgeRequest] = {
        var since = JudgeRequest(["at most 1 connection"])
        since.begin = .label("first search")
        var all = JudgeRequest(["exits with 0", "at most 1 request during \"it's\""])
        (all.begin, all.end, all.isLive) = (.time(Instant(nanoseconds: 5)), Instant(nanoseconds: .max), true)
        var scoped = JudgeRequest(["leaves no connection open"])
        scoped.scope = PartScope(process: 7)
        scoped.scope.sharedSockets = [9]
        scoped.test = "test_a.py::test_b[\"c\"]"
        return [JudgeRequest(["leaves no connection open"]), since, all, scoped]
    }()

    @Test(arguments: requests.indices)
    func readsWhatItWrites(index: Int) throws {
        let request = Self.requests[index]
        let read = try #require(JudgeRequest(json: JSON(utf8: Array(request.json.text.utf8))))
        #expect(read.json.text == request.json.text)
        #expect(read.begin == request.begin && read.end == request.end && read.isLive == request.isLive)
        #expect(read.scope == request.scope && read.test == request.test)
        var question = JudgeQuestion(read, end: Instant(nanoseconds: 7), known: Instant(nanoseconds: 6))
        question.held = 3
        let ends = try SocketEnds(#require(Endpoint("10.0.0.1:4000")), #require(Endpoint("[::1]:80")))
        let holder = SocketHolder(1, below: [3, 2], mark: 3)
        question.open = [
            RunRecord.OpenSocket(ends, owner: "a \"b\" (1)", holder: holder, inode: 5), RunRecord.OpenSocket(ends),
        ]
        question.ancestors = [2, 1]
        (question.hasOthers, question.problem) = (true, "No space left on device")
        let asked = try #require(JudgeQuestion(json: JSON(utf8: Array(question.json.line.utf8))))
        #expect(asked.json.text == question.json.text && asked.open == question.open)
        #expect(asked.ancestors == question.ancestors && asked.hasOthers && asked.problem == question.problem)
    }

    @Test func keepsItsBytes() throws {
        let request =
            #"{ "expectations": ["leaves no connection open"], "since": 3, "live": true, "scope": { "process": 7, "#
            + #""since": 1, "shared": [[1, 2]], "sharedSockets": [9] }, "test": "t" }"#
        let socket =
            #"{ "client": "10.0.0.1:4000", "server": "[::1]:80", "owner": "a (1)", "#
            + #""holder": { "process": 1, "ancestors": [3, 2] }, "inode": 5 }"#
        let text =
            #"{ "request": \#(request), "end": 7, "known": 6, "held": 3, "open": [\#(socket)], "#
            + #""ancestors": [2, 1], "others": true, "problem": "p" }"#
        #expect(JudgeQuestion(json: try JSON(utf8: text.utf8))?.json.line == text)
    }

    @Test(arguments: [
        "5", "{}", #"{ "expectations": [] }"#, #"{ "expectations": "at most 1 connection" }"#,
        #"{ "expectations": [5] }"#, #"{ "expectations": ["x"], "since": {} }"#,
        #"{ "expectations": ["x"], "end": "now" }"#, #"{ "expectations": ["x"], "scope": { "proces": 1 } }"#,
        #"{ "expectations": ["x"], "unknown": 1 }"#, #"{ "expectations": ["x"], "test": 1 }"#,
        "{ \"expectations\": [\(String(repeating: #""x","#, count: 100))\"x\"] }",
    ])
    func readsNothingElse(text: String) throws {
        #expect(JudgeRequest(json: try JSON(utf8: Array(text.utf8))) == nil)
    }
}
