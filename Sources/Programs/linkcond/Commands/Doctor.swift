// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkMeasuring
import LinkProfiles
import Sandboxing

extension Linkcond {
    struct Doctor: ParsableCommand {
        static let configuration = CommandConfiguration(
            .doctor,
            abstract: "Report what this machine can do, and how to get the rest.",
            examples: "doctor"
        )

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        @Flag(name: .long, help: .hidden)
        var askNames = false

        func run() throws {
            if askNames { return try NameExamination.ask().forEach(Console.text) }
            // Runs first, since the other examination leaves this process in a new network namespace.
            var sandbox = SandboxExamination.run()
            if sandbox.allowsUplink, let names = NameExamination.run() { sandbox.append(names) }
            var findings = Examination.run()
            findings.addUserspace(afterwards: sandbox)
            Console.data(findings.lines, or: findings.json, asJSON: json)
            guard findings.canUseNetem || findings.canUseUserspace else {
                throw ExitCode(Failure.Status.unavailable.rawValue)
            }
        }
    }
}

extension [Examination.Finding] {
    /// Whether a sandbox can be created, and can have an uplink.
    fileprivate var allowsUplink: Bool {
        allSatisfy { $0.isFine || $0.subject != "sandbox" && $0.subject != SandboxExamination.tunnelSubject }
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
                + (finding.remedy.map { ["         \(String(repeating: " ", count: width))  try: \($0.words())"] } ?? [])
        }
    }

    fileprivate var json: JSON {
        let list = findings.map { finding in
            JSON(
                ("subject", .text(finding.subject)),
                ("ok", .bool(finding.isFine)),
                ("detail", .text(finding.detail)),
                ("remedy", .text(finding.remedy?.words()))
            )
        }
        return JSON(
            ("netem", .bool(canUseNetem)),
            ("userspace", .bool(canUseUserspace)),
            ("findings", .list(list))
        )
    }
}
