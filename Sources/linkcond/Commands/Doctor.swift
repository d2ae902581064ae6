// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkProfiles
import Sandboxing

extension Linkcond {
    /// `linkcond doctor`
    struct Doctor: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "doctor",
            _superCommandName: "linkcond",
            abstract: "Report what this machine can do, what is missing, and what to type to get it."
        )

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        func run() throws {
            // First, since the other check leaves this process in a new network.
            let sandbox = SandboxExamination.run()
            var findings = Examination.run()
            findings.addUserspace(afterwards: sandbox)
            if json {
                Console.data(findings.json)
            } else {
                Console.data(findings.lines)
            }
            guard findings.canUseNetem || findings.canUseUserspace else {
                throw ExitCode(Failure.Status.unavailable.rawValue)
            }
        }
    }
}

extension Examination {
    /// The findings in columns, with a remedy below each that failed.
    fileprivate var lines: [OutputLine] {
        let width = findings.map(\.subject.count).max() ?? 0
        return findings.flatMap { finding -> [OutputLine] in
            let padding = String(repeating: " ", count: width - finding.subject.count)
            let mark = finding.isFine ? "ok     " : "missing"
            return ["\(mark)  \(finding.subject)\(padding)  \(finding.detail)"]
                + (finding.remedy.map { ["         \(String(repeating: " ", count: width))  try: \($0.words)"] } ?? [])
        }
    }

    /// The findings as JSON.
    fileprivate var json: JSON {
        let list = findings.map { finding in
            JSON(
                ("subject", .text(finding.subject)),
                ("ok", .bool(finding.isFine)),
                ("detail", .text(finding.detail)),
                ("remedy", .text(finding.remedy?.words))
            )
        }
        return JSON(
            ("netem", .bool(canUseNetem)),
            ("userspace", .bool(canUseUserspace)),
            ("findings", .list(list))
        )
    }
}
