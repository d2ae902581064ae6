// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import linkcond

@Suite struct MessageTextTests {
    private let long = String(repeating: "x", count: 300)

    @Test func quotesTheLongestArgument() {
        let arguments = QuotedArguments(["a\nb", "a\nb\nc", "a\nbz", "--name=\(long)", "\(long)y", "plain"])
        func text(_ message: String) -> String { MessageText.readable(message, quoting: arguments) }
        #expect(text("'a\nb\nc' and 'a\nd', a\nbz") == "'a\\u000ab\\u000ac' and 'a\nd', a\\u000abz")
        #expect(text("no file a\nb\nd\nplain") == "no file a\\u000ab\nd\nplain")
        #expect(text("\(long) is long").hasSuffix("x... (300 bytes) is long"))
        #expect(text("\(long)y is longer").hasSuffix("x... (301 bytes) is longer"))
        #expect(text("line\nline") == "line\nline" && text("") == "")
    }

    /// A message for each of many arguments, as `validate` prints.
    @Test func isNotSlowForManyArguments() {
        let names = (0..<20_000).map { "file\n\($0)" }
        let time = ProcessorTime.ofThread {
            let arguments = QuotedArguments(names)
            for name in names.prefix(2000) {
                let text = MessageText.readable("cannot read \(name)", quoting: arguments)
                #expect(text.hasPrefix("cannot read file\\u000a"))
            }
        }
        #expect(time < .seconds(30))
    }
}
