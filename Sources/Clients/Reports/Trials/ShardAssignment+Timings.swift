// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

extension ShardAssignment {
    /// The longest duration that is believed: sums of it cannot overflow.
    private static let longestSeconds = 1e9

    /// Divides by the durations of the runs in summary.json of an earlier report; nil if `report` is something else.
    package init?(timings report: JSON) {
        guard report.required("version") == 1, case .array(let runs)? = report["runs"]?.value else { return nil }
        let list: TrialList? = report.required("trials")
        var durations: [Run: Duration] = [:]
        for run in runs {
            guard let name: String = run.required("name") else { return nil }
            // Without a report and its duration, linkcond failed.
            guard case .number(let text)? = (run["seconds"] ?? run["report"]?["durationSeconds"])?.value,
                let seconds = Double(text), 0...Self.longestSeconds ~= seconds
            else { continue }
            var key = Run(network: name, number: 1)
            if let list, let index: Int = run.required("index") {
                guard 0..<list.count ~= index else { return nil }
                key = Run(network: list.networks[list[index].network].name, number: list[index].number)
            }
            durations[key] = .seconds(seconds)
        }
        self.init(durations: durations)
    }
}
