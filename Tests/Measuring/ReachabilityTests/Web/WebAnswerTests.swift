// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Probing

@Suite struct WebAnswerTests {
    /// Where the pieces of a body begin and end does not matter.
    @Test func findsWordsAcrossPieces() {
        let text = Array("one two aabaabaac three".utf8)
        for words in ["aabaac", "one", "three", "o a"] {
            for size in 1...text.count {
                var answer = WebAnswer(to: HTTPQuestion(host: "a", port: 80, body: words), status: 200)
                for start in stride(from: 0, to: text.count, by: size) {
                    answer.add(text[start..<min(start + size, text.count)])
                }
                #expect(answer.judgement == .good, "\(words) in pieces of \(size)")
            }
        }
    }

    @Test func looksNoFurtherThanItsLimit() {
        var answer = WebAnswer(to: HTTPQuestion(host: "a", port: 80, body: "end"), status: 200)
        answer.add(repeatElement(0x20, count: WebAnswer.bodyLimit - 2))
        #expect(answer.judgement == .open)
        answer.add(Array("end".utf8))
        #expect(answer.judgement == .bad(.bodyMismatch))
    }

    @Test func waitsForTheEndOfAnAnswerThatIsGoodSoFar() {
        var answer = WebAnswer(to: HTTPQuestion(host: "a", port: 80), status: 200)
        #expect(answer.judgement == .open)
        answer.isComplete = true
        #expect(answer.judgement == .good)
        #expect(WebAnswer(to: HTTPQuestion(host: "a", port: 80), status: 400).judgement == .bad(.status))
    }
}
