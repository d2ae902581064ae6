// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
package import LinkProfiles

extension TrialsReport {
    /// The share of the population that the client survives; nil without a population.
    package var coverage: Coverage? {
        context.population.map { population in
            let names = population.networks.map(\.profile.text)
            return Coverage(
                population,
                results: zip(names, tally.networks).map { (network: $0, survived: $1.survived, decided: $1.decided) }
            )
        }
    }

    /// summary.json, except for its end, in pieces: the runs may be too many for the memory.
    ///
    /// - Parameter runs: the text of each run, in the order of the list.
    package func writeSummary(_ runs: some Sequence<String>, to write: (String) -> Void) {
        write(String(head.text.dropLast("\n}".count)) + ",\n  \"runs\": [")
        var separator = "\n"
        for run in runs {
            write(separator + run)
            separator = ",\n"
        }
        write("]")
    }

    /// All members but the runs.
    private var head: JSON {
        let members: [(String, JSON?)] =
            [("version", .number(Self.formatVersion)), ("verdict", .text(verdict.rawValue))]
            + context.json.members.map { ($0.name, $0.value) }
            + [("missing", missing.isEmpty ? nil : missing.json), ("coverage", coverage?.json)]
        return JSON(members: members)
    }

    /// The version of the format of summary.json.
    package static let formatVersion = 1
}

extension TrialsReport.Trial {
    /// The run in the format of summary.json.
    ///
    /// - Parameter parent: the directory of the report on all runs; empty for paths relative to it, nil if none is kept.
    package func json(below parent: String?) -> JSON {
        let directory = directory.flatMap { name in parent.map { $0.isEmpty ? name : "\($0)/\(name)" } }
        return JSON(
            ("index", .number(index)),
            ("name", .text(name)),
            ("status", .number(status)),
            ("failure", .text(failure)),
            ("directory", .text(directory)),
            ("seconds", .seconds(duration)),
            ("lastLines", lastLines.isEmpty ? nil : lastLines.json),
            ("reportDigest", .text(digest)),
            ("report", report?.json)
        )
    }

    /// Reads a run from summary.json; nil if a member is missing or is not as expected.
    ///
    /// - Parameter log: the name of the file with a command's output.
    package init?(json: JSON, log: String) {
        guard let index: Int = json.required("index"), let name: String = json.required("name"),
            let status: Int32? = json.optional("status"), let failure: String? = json.optional("failure"),
            let directory: String? = json.optional("directory"), let digest: String? = json.optional("reportDigest"),
            let report: RunReport? = json.optional("report"), case .number(let seconds)? = json["seconds"]?.value,
            // Of a larger number, no Duration can be made.
            let duration = Double(seconds), 0...1e9 ~= duration, (report == nil) == (status == nil)
        else { return nil }
        self.init(
            index: index,
            name: name,
            directory: directory,
            log: log,
            status: status,
            failure: failure,
            report: report,
            duration: .seconds(duration),
            lastLines: json.required("lastLines") ?? [],
            digest: digest
        )
    }
}
