// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import LinkProfiles

@Suite struct JSONReaderTests {
    @Test(arguments: [
        ("{}", "{}"), ("[]", "[]"), ("[ ]", "[]"), ("{ }", "{}"), ("\"x\"", "\"x\""), ("\"\"", "\"\""),
        ("true", "true"), ("false", "false"), ("null", "null"), ("0", "0"), ("-0", "-0"), ("42", "42"),
        ("-1.5", "-1.5"), ("1e5", "1e5"), ("1E-5", "1E-5"), ("1.5e+10", "1.5e+10"), ("1e400", "1e400"),
        (" \t\r\n1 \t\r\n", "1"), ("[1,\n2 , [3]]", "[1, 2, [3]]"), ("{\"a\":{\"b\":[]}}", "{ \"a\": { \"b\": [] } }"),
        ("\u{FEFF}1", "1"), ("{\"\":0}", "{ \"\": 0 }"), ("\"\u{7F}\"", "\"\\u007f\""), ("\"/\\/\"", "\"//\""),
    ])
    func readsWhatRFC8259Allows(text: String, line: String) throws {
        #expect(try JSON(utf8: text.utf8).line == line)
    }

    @Test(arguments: [
        "", " ", "\n", "{", "[", "\"", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "[1", "[1,", "]", "}", ":", ",",
        "[1,]", "{\"a\":1,}", "[,1]", "{,}", "[1 2]", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{a:1}", "{1:1}", "'a'",
        "[1}", "{\"a\":1]", "{} {}", "1 2", "{}}", "[1] x", "truefalse", "tru", "nul", "True", "NULL", "NaN",
        "Infinity", "-Infinity", "undefined", "01", "-01", "1.", ".5", "+1", "-", "1e", "1e+", "1.e5", "0x10", "1_000",
        "1,5", "// x\n1", "/* */1", "#\n1", "\u{A0}1", "\u{FEFF}\u{FEFF}1", "1\u{0}", "\u{2028}1", "１",
    ])
    func refusesWhatRFC8259DoesNotAllow(text: String) {
        #expect(throws: MalformedJSON.self) { try JSON(utf8: text.utf8) }
    }

    @Test(arguments: [
        ("\\\"", "\""), ("\\\\", "\\"), ("\\/", "/"), ("\\b", "\u{8}"), ("\\f", "\u{C}"), ("\\n", "\n"), ("\\r", "\r"),
        ("\\t", "\t"), ("\\u0041", "A"), ("\\u00e9", "é"), ("\\u00E9", "é"), ("\\u0000", "\u{0}"),
        ("\\uFFFF", "\u{FFFF}"),
        ("\\ud83d\\udc0c", "🐌"), ("\\uDBFF\\uDFFF", "\u{10FFFF}"), ("\\uD800\\uDC00", "\u{10000}"),
    ])
    func readsEscapes(escape: String, expected: String) throws {
        guard case .string(let text) = try JSON(utf8: "\"\(escape)\"".utf8).value else {
            Issue.record("no text")
            return
        }
        #expect(text == expected)
    }

    @Test(arguments: [
        "\\x", "\\", "\\u", "\\u12", "\\u123", "\\u12g4", "\\u+123", "\\u００４１", "\\U0041", "\\ud800", "\\udc00",
        "\\ud800x", "\\ud800\\n", "\\ud800\\u0041", "\\udc00\\ud800", "\\ud800\\ud800", "\\'", "\\a",
        "\u{0}", "\u{1F}", "\t", "\n", "\r",
    ])
    func refusesBadEscapesAndControlCharacters(content: String) {
        #expect(throws: MalformedJSON.self) { try JSON(utf8: "\"\(content)\"".utf8) }
    }

    @Test(arguments: [
        [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0x80, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0xFF, 0xFE, 0x31, 0x00],
        [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
    ])
    func refusesWhatIsNotUTF8(bytes: [UInt8]) {
        #expect {
            try JSON(utf8: bytes)
        } throws: { error in
            (error as? MalformedJSON)?.reason == "the text is not UTF-8"
        }
    }

    @Test func refusesANameTwiceInOneObject() {
        #expect(throws: MalformedJSON.self) { try JSON(utf8: "{\"a\":1,\"a\":1}".utf8) }
        #expect(throws: MalformedJSON.self) { try JSON(utf8: "{\"a\":1,\"\\u0061\":2}".utf8) }
        #expect(throws: Never.self) { try JSON(utf8: "{\"a\":{\"a\":1},\"b\":{\"a\":1}}".utf8) }
    }

    @Test func endsWhereAHostileTextIsTooDeep() throws {
        let deepest = JSON.maximumDepth
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let inner = open == "[" ? "" : "1"
            let nested = { String(repeating: open, count: $0) + inner + String(repeating: close, count: $0) }
            #expect(throws: Never.self) { try JSON(utf8: nested(deepest).utf8) }
            #expect(throws: MalformedJSON.self) { try JSON(utf8: nested(deepest + 1).utf8) }
            #expect(throws: MalformedJSON.self) { try JSON(utf8: String(repeating: open, count: 100_000).utf8) }
        }
        let wide = "[" + Array(repeating: "[[]]", count: 100).joined(separator: ",") + "]"
        #expect(throws: Never.self) { try JSON(utf8: wide.utf8) }
    }

    @Test func survivesEveryPrefixOfADocument() {
        let bytes = Array("{ \"a\": [1.5e3, true, null, \"\\ud83d\\udc0c é\"], \"b\": { \"c\": -0 } }".utf8)
        for length in 0..<bytes.count {
            #expect(throws: MalformedJSON.self) { try JSON(utf8: bytes[..<length]) }
        }
    }

    @Test func survivesRandomChanges() {
        let document = Array("{ \"a\": [1.5e3, true, null, \"\\ud83d\\udc0c é\"], \"b\": { \"c\": -0 } }".utf8)
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<5000 {
            var bytes = document
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            // What is still read must be what is written.
            guard let json = try? JSON(utf8: bytes) else { continue }
            #expect((try? JSON(utf8: json.line.utf8))?.line == json.line)
        }
    }
}
