// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// A label that no step has.
struct ScenarioLabelTests {
    private static func write(_ expect: String, to files: TemporaryDirectory) throws {
        let text = #"""
            {"name": "lift", "profile": "Slow Net", "expect": [\#(expect)],
             "steps": [{"label": "out again", "after": "1 s", "profile": "Slow Net"}]}
            """#
        try text.write(toFile: "\(files.path)/lift.json", atomically: true, encoding: .utf8)
    }

    @Test func runsNothingForAMisspeltLabel() throws {
        let files = try TemporaryDirectory()
        try Self.write(#""leaves no connection open""#, to: files)
        let result = try Program.shell(
            #"""
            cd \#(files.path) && exec "$LINKCOND" run --offline --scenario lift.json \
              --expect "recovers within 5 s of 'out agian'" -- touch ran
            """#
        )
        #expect(result.status == 125, "\(result)")
        #expect(result.errors.contains("no step is called 'out agian'; did you mean 'out again'?"), "\(result)")
        #expect(throws: (any Error).self) { try files.read("ran") }
    }

    @Test func pointsAtItInTheFile() throws {
        let files = try TemporaryDirectory()
        try Self.write(#""recovers within 5 s of 'out agian'", "closes within 1 s of 'left'""#, to: files)
        let result = try Program.shell(#"cd \#(files.path) && exec "$LINKCOND" validate lift.json"#)
        #expect(result.status == 65, "\(result)")
        #expect(result.errors.contains("$.expect[0]: no step is called 'out agian'"), "\(result)")
        #expect(!"\(result)".contains("'left'"), "\(result)")
    }
}
