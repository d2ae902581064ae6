// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Reports
import Trials

extension Linkcond {
    struct Merge: ParsableCommand {
        static let configuration = CommandConfiguration(
            .merge,
            abstract: "Join the reports of shards into one report.",
            usage: "linkcond merge DIR... [--report DIR]",
            discussion: """
                Each DIR is the report of one shard: of "linkcond matrix" or "linkcond run --repeat" with --shard K/N and \
                --report. All must have the same command, networks, seed, options and version of linkcond. The result \
                is the report that one machine would have written; its verdict is inconclusive if a shard is missing.

                Exit status: as that of the matrix, and 1 if a shard is missing; 65 for reports that do not belong \
                together, or that were changed.
                """,
            examples: "merge shard-1 shard-2 shard-3 --report report",
            "merge shards/* --report report"
        )

        @Argument(help: ArgumentHelp("The directories of the shards' reports.", valueName: "DIR"))
        var directories: [String]

        @Option(
            name: .long,
            help: ArgumentHelp(
                "Write report.html, junit.xml, summary.md and summary.json to this directory, and copy the reports of "
                    + "the runs there.",
                valueName: "DIR"
            )
        )
        var report: String?

        @Flag(name: .long, help: "Print JSON.")
        var json = false

        func run() throws {
            var display = MergeDisplay()
            let merge: ShardMerge
            do {
                defer { display.erase() }
                merge = try ShardMerge(directories, into: report) { display.draw("reading \($0)") }
                if let report {
                    let directory = try ReportDirectory(report, for: nil)
                    try merge.write(to: directory) { display.draw("copying the report of \($0)") }
                }
            }
            merge.report.show(merge.runs, below: report, asJSON: json)
            Glibc.exit(merge.report.exitStatus)
        }
    }
}
