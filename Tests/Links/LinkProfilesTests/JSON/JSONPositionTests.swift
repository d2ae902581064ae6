// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct JSONPositionTests {
    private func failure(_ text: String) -> MalformedJSON? {
        do throws(MalformedJSON) {
            _ = try JSON(utf8: text.utf8)
            return nil
        } catch {
            return error
        }
    }

    @Test func countsLinesAndColumnsFromOne() throws {
        let json = try JSON(utf8: "{\n  \"a\": 1,\n\t\"b\": [ 2,\n3 ]\n}".utf8)
        #expect(json.position == JSON.Position(line: 1, column: 1))
        #expect(json["a"]?.position == JSON.Position(line: 2, column: 8))
        #expect(json["b"]?.position == JSON.Position(line: 3, column: 7))
        #expect(json.members.map(\.position) == [.init(line: 2, column: 3), .init(line: 3, column: 2)])
        guard case .array(let elements) = json["b"]?.value else {
            Issue.record("no list")
            return
        }
        #expect(elements.map(\.position) == [.init(line: 3, column: 9), .init(line: 4, column: 1)])
    }

    @Test func countsScalarsAndNotBytes() throws {
        let json = try JSON(utf8: "{\"é🐌\": 1, \"b\": 2}".utf8)
        #expect(json["b"]?.position == JSON.Position(line: 1, column: 16))
    }

    @Test func countsACarriageReturnAndALineFeedAsOneLine() throws {
        let json = try JSON(utf8: "{\r\n\"a\": 1}".utf8)
        #expect(json["a"]?.position == JSON.Position(line: 2, column: 6))
    }

    @Test(arguments: [
        ("", 1, 1, "the text is empty; expected an object"),
        ("{\n  \"a\": 1,\n}", 3, 1, "found \"}\" after a comma; expected another key"),
        ("{\n  \"a\" 1\n}", 2, 7, "found \"1\" after the key \"a\"; expected \":\""),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3, "found \"\\\"\" after a value; expected \",\" or \"}\""),
        ("[1,\n2", 2, 2, "found the end of the text after a value; expected \",\" or \"]\""),
        ("{\"a\": flase}", 1, 7, "found \"flase\"; expected a value"),
        ("{\"a\": 01}", 1, 8, "a number must not have leading zeros"),
        ("{} and", 1, 4, "found \"and\" after the end of the document"),
        ("{\"a\": \"x\ny\"}", 1, 9, "found \"\\n\" in a string; control characters must be escaped"),
        ("{\"a\": \"\\q\"}", 1, 8, "\"\\q\" is not a valid JSON escape"),
        ("{\"a\": 1, \"a\": 2}", 1, 10, "duplicate key \"a\""),
        ("{\"a\": \"\\ud800\"}", 1, 8, "unpaired surrogate"),
    ])
    func pointsAtTheMistake(text: String, line: Int, column: Int, reason: String) {
        let failure = failure(text)
        #expect(failure?.position == JSON.Position(line: line, column: column))
        #expect(failure?.reason == reason)
        #expect(failure.map { "\($0)" } == "\(line):\(column): \(reason)")
    }

    @Test func pointsAtTheFirstByteThatIsNotUTF8() {
        #expect {
            try JSON(utf8: Array("{\n\"é\": \"".utf8) + [0xFF] + Array("\"}".utf8))
        } throws: { error in
            (error as? MalformedJSON)?.position == JSON.Position(line: 2, column: 7)
        }
    }

    @Test func ordersByLineAndThenByColumn() {
        #expect(JSON.Position(line: 1, column: 9) < JSON.Position(line: 2, column: 1))
        #expect(JSON.Position(line: 2, column: 1) < JSON.Position(line: 2, column: 2))
    }
}
