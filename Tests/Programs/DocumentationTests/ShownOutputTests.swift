// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// How scripts/check/guide compares the output that a page shows with that of a command.
@Suite struct ShownOutputTests {
    /// The first line that is shown and was not printed; "None" if there is none.
    private func missingLine(_ shown: String, _ printed: String) throws -> String {
        let call = "import comparison, sys; print(comparison.missing_line(*[s.splitlines() for s in sys.argv[1:]]))"
        let words = [call, shown, printed].map(Shell.quoted).joined(separator: " ")
        let folder = Shell.quoted("\(Package.path)/scripts/check/support/guide")
        let printed = try Shell.check("PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=\(folder) python3 -c \(words)")
        return printed.replacing("\n", with: "")
    }

    @Test(arguments: [
        ("a\nb", "a\nb"), ("b", "a\nb\nc"), ("a\n...\nc", "a\nb\nc"), ("a  b", "a b"),
        ("first byte after 82.5 ms", "first byte after 1.1 s"), ("lasted 1 min 40 s", "lasted 12 s"),
        ("sent: 1211 B, 20 kbit/s, 33 %", "sent: 1 kB, 3 Mbit/s, 4 %"), ("packets 4, 27 and 35", "packets 1"),
        ("at 09:00:01.2 on 2026-02-01", "at 23:59:59 on 2030-01-01"), ("by python3 (37)", "by python3 (12)"),
        ("to 127.0.0.1:58650", "to 127.0.0.1:41000"),
    ])
    func permits(shown: String, printed: String) throws {
        #expect(try missingLine(shown, printed) == "None")
    }

    @Test(arguments: [
        ("2 connections", "4 connections"), ("b\na", "a\nb"), ("a", ""), ("FAIL  at most 1", "pass  at most 1"),
        ("after 5 requests", "after 6 requests"), ("to 127.0.0.1:443", "to 127.0.0.1:80"),
    ])
    func refuses(shown: String, printed: String) throws {
        #expect(try missingLine(shown, printed) == String(shown.split(separator: "\n").last ?? ""))
    }
}
