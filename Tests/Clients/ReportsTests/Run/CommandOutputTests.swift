// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import Reports

/// The output of the command in its report.
struct CommandOutputTests {
    private func tail(_ text: String, of bytes: Int? = nil, limit: Int = 100) -> FileTail {
        FileTail(Array(text.utf8)[...], of: bytes ?? text.utf8.count, limit: limit)
    }

    private func report(_ parts: CommandOutput.Part...) -> RunReport {
        var report = Example.report()
        report.output = CommandOutput(parts)
        return report
    }

    @Test func keepsTheLastLines() {
        #expect(tail("") == tail("", limit: 1) && tail("").lines.isEmpty && !tail("").isCut)
        #expect(tail("a\n\nb").lines == ["a", "", "b"])
        #expect(tail("a\nb\nc\n", limit: 2).lines == ["b", "c"] && tail("a\nb\nc\n", limit: 2).isCut)
        // The file's end begins within a line.
        #expect(tail("lf\nb\n", of: 100).lines == ["b"] && tail("lf\nb\n", of: 100).isCut)
        #expect(tail("a line without an end", of: 100).lines == ["a line without an end"])
        #expect(tail(String(repeating: "x", count: 16_000)).lines[0].unicodeScalars.count == 1000)
    }

    /// A display of progress writes its line again and again.
    @Test func showsOfALineWhatATerminalShowsInTheEnd() {
        #expect(tail("10 %\r50 %\r100 %\r\ndone\r\n").lines == ["100 %", "done"])
    }

    @Test func interpretsNothingOfIt() throws {
        let bytes =
            Array("</code><script>alert(1)</script>\u{1B}]0;title\u{7}\u{202E}".utf8) + [0xFF, 0xC0, 0x0A, 0x00, 0x0A]
        let report = report(.init(.output, .file, path: "out\".log", tail: FileTail(bytes[...], of: bytes.count)))
        let page = RunPage(report).text
        #expect(page.contains("&lt;/code&gt;&lt;script&gt;alert(1)") && !page.contains("<script>alert"))
        #expect(!page.unicodeScalars.contains { [0x1B, 7, 0x202E, 0].contains($0.value) })
        #expect(page.contains("href=\"out%22.log\""))
        let read = try JSON(utf8: Array(report.json.text.utf8))
        #expect(read["output"] != nil)
    }

    @Test func saysWhereOutputWentThatCannotBeHad() {
        let terminal = RunPage(report(.init(.output, .terminal), .init(.error, .terminal))).text
        #expect(terminal.contains("The command&#39;s standard output and standard error went to a terminal; "))
        let apart = RunPage(report(.init(.output, .pipe), .init(.error, .nowhere))).text
        #expect(apart.contains("The command&#39;s standard output went to a pipe; "))
        #expect(apart.contains("The command&#39;s standard error went nowhere. "))
        #expect(
            RunPage(report(.init(.output, .file, path: "/root/x"))).text.contains("a file that linkcond cannot read")
        )
    }
}
