// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import LinkProfiles

@Suite struct JSONWriterTests {
    /// A value of at most `depth` levels.
    private func random(depth: Int, _ generator: inout SeededGenerator) -> JSON {
        let letters: [Character] = [
            "a", "é", "🐌", "\"", "\\", "/", "\n", "\t", "\r", "\u{0}", "\u{1F}", "\u{7F}", " ", "{",
        ]
        let text = String(
            (0..<Int.random(in: 0...20, using: &generator)).compactMap { _ in letters.randomElement(using: &generator) }
        )
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &generator) {
        case 0: return JSON(.null)
        case 1: return JSON(.bool(Bool.random(using: &generator)))
        case 2: return JSON(integerLiteral: Int(Int32.random(in: .min ... .max, using: &generator)))
        case 3: return JSON.number(Double.random(in: -1e20...1e20, using: &generator)) ?? JSON(.null)
        case 4: return JSON(stringLiteral: text)
        case 5:
            return .list(
                (0..<Int.random(in: 0...5, using: &generator)).map { _ in random(depth: depth - 1, &generator) }
            )
        default:
            return JSON(
                members: (0..<Int.random(in: 0...5, using: &generator)).map { index in
                    ("\(index)\(text)", random(depth: depth - 1, &generator))
                }
            )
        }
    }

    @Test func readsBackWhatItWrites() throws {
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<500 {
            let json = random(depth: 4, &generator)
            #expect(try JSON(utf8: json.line.utf8).line == json.line)
            #expect(try JSON(utf8: json.text.utf8).line == json.line)
            #expect(!json.line.contains("\n"))
        }
    }

    @Test func writesShortObjectsBelowTheFirstLevelOnOneLine() {
        let json = JSON(("name", "x"), ("downlink", JSON(("rate", "1 bit/s"), ("ecn", true))), ("list", .list([1, 2])))
        #expect(
            json.text == """
                {
                  "name": "x",
                  "downlink": { "rate": "1 bit/s", "ecn": true },
                  "list": [1, 2]
                }
                """
        )
        #expect(
            json.line == "{ \"name\": \"x\", \"downlink\": { \"rate\": \"1 bit/s\", \"ecn\": true }, \"list\": [1, 2] }"
        )
    }

    @Test func breaksLongObjects() {
        let long = String(repeating: "x", count: 60)
        let json = JSON(("a", JSON(("b", JSON(stringLiteral: long)), ("c", JSON(stringLiteral: long)))))
        #expect(json.text == "{\n  \"a\": {\n    \"b\": \"\(long)\",\n    \"c\": \"\(long)\"\n  }\n}")
    }

    @Test(arguments: [
        ("plain", "\"plain\""), ("\"", "\"\\\"\""), ("\\", "\"\\\\\""), ("\n\t\r", "\"\\n\\t\\r\""),
        ("\u{0}", "\"\\u0000\""),
        ("\u{1B}[31m", "\"\\u001b[31m\""), ("\u{7F}", "\"\\u007f\""), ("é🐌/", "\"é🐌/\""),
    ])
    func escapesWhatJSONWantsEscaped(text: String, quoted: String) {
        #expect(JSON.quoted(text) == quoted)
    }

    @Test(arguments: [
        ("\u{9B}31m", "\"\\u009b31m\""), ("\u{2028}", "\"\\u2028\""), ("\u{202E}", "\"\\u202e\""),
        ("\u{2066}", "\"\\u2066\""), ("\u{200F}", "\"\\u200f\""), ("\u{61C}", "\"\\u061c\""),
    ])
    func escapesWhatMovesATerminal(text: String, quoted: String) {
        #expect(JSON.quoted(text) == quoted)
    }

    @Test func leavesOutWhatIsAbsent() {
        let absent: String? = nil
        #expect(
            JSON(("a", .text(absent)), ("b", .number(nil as Int?)), ("c", .bool(nil)), ("d", 1)).line == "{ \"d\": 1 }"
        )
    }

    @Test(arguments: [(Double.nan, "null"), (.infinity, "null"), (1.5, "1.5"), (3, "3.0"), (1e300, "1e+300")])
    func writesOnlyNumbersThatJSONHolds(number: Double, text: String) {
        #expect(JSON.number(number)?.line == text)
    }

    @Test func replacesAMemberInItsPlace() {
        let json = JSON(("a", 1), ("b", 2))
        #expect(json.replacing("a", 3).line == "{ \"a\": 3, \"b\": 2 }")
        #expect(json.replacing("c", 3).line == "{ \"a\": 1, \"b\": 2, \"c\": 3 }")
    }
}
