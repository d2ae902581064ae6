// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// The streams of output, and write errors.
@Suite struct OutputTests {
    @Test func endsQuietlyWhenItsReaderHasGone() throws {
        // The pipe's status is the program's own: 0, or the signal that ends any program there.
        let outcome = try Program.shell(
            #"for run in 1 2 3 4 5; do "$LINKCOND" list --all | head -1; echo ${PIPESTATUS[0]}; done"#
        )
        #expect(outcome.errors.isEmpty)
        #expect(outcome.lines.count { $0.hasPrefix("PROFILE") } == 5)
        #expect(outcome.lines.filter { !$0.hasPrefix("PROFILE") }.allSatisfy { $0 == "0" || $0 == "141" })
    }

    @Test func takesAReaderThatHasGoneForSuccessWhereItsSignalIsIgnored() throws {
        let outcome = try Program.shell(#"trap '' PIPE; "$LINKCOND" list --all | true; exit ${PIPESTATUS[0]}"#)
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
    }

    @Test(arguments: ["list", "list --json", "show 'Slow Net'", "show 'Slow Net' --json"])
    func saysThatADiskIsFull(arguments: String) throws {
        #expect(try Program.shell("\"$LINKCOND\" \(arguments) > /dev/full").status == 74)
    }

    @Test func writesDataAndNothingElseToStandardOutput() throws {
        #expect(try Program.run("show", "nobody").output.isEmpty)
        #expect(try Program.run("show", "Slow Net").errors.isEmpty)
    }

    @Test func writesNoColourWhereThereIsNoTerminal() throws {
        #expect(try !Program.run("list").output.contains("\u{1B}"))
    }

    @Test func writesBoldOnATerminalUnlessAskedNotTo() throws {
        // script(1) gives the program a terminal, and waits for one of its own unless it has no input.
        let terminal = #"script -qec "$LINKCOND show 'Slow Net'" /dev/null < /dev/null"#
        let marked = try Program.shell(terminal)
        #expect(marked.output.contains("\u{1B}[1mSlow Net"), "\(marked)")
        #expect(try !Program.shell("NO_COLOR=1 \(terminal)").output.contains("\u{1B}"))
        #expect(try Program.shell("NO_COLOR= \(terminal)").output.contains("\u{1B}[1m"))
    }
}
