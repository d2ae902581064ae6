// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Exploration
import LinkProfiles

/// The options of `explore`: what the random timelines contain, and when the search ends.
struct ExploreOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Stop after this time (\"90\" or \"90s\", \"5m\"). Default: 10m.", valueName: "TIME")
    )
    var budget: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Stop after this many runs, all of them counted. Default: as many as the budget allows.",
            valueName: "N"
        )
    )
    var runs: Int?

    @Flag(name: .long, help: "Stop when the first finding is as small as it gets, and look for no other.")
    var first = false

    @Option(
        name: .customLong("fails-in"),
        help: ArgumentHelp("A scenario fails if so many of so many runs do.", valueName: "N/M"),
        transform: { text in
            let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
            guard parts.count == 2, let failures = parts[0], let runs = parts[1],
                let share = FailureShare(failures, of: runs)
            else { throw ValidationError("'\(text)' is not N/M such as 2/3, at most 100/100") }
            return share
        }
    )
    var share: FailureShare?

    @Flag(
        name: .customLong("also-status"),
        help: "Besides the expectations, the command has to exit with 0, as it has to without expectations."
    )
    var alsoStatus = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Draw only this kind, such as 'link down', or group: figures, faults, changes; repeatable.",
            valueName: "KIND"
        )
    )
    var only: [String] = []

    @Option(name: .long, help: ArgumentHelp("Draw no such kind or group; repeatable.", valueName: "KIND"))
    var without: [String] = []

    /// At least two runs: one without disturbances, and one with.
    private static let runRange = 2...TrialOptions.maximumRuns

    func validate() throws {
        _ = try budget.map { try EndingOptions.time($0) }
        guard Self.runRange.contains(runs ?? 2) else {
            throw ValidationError("--runs is from \(Self.runRange.lowerBound) to \(Self.runRange.upperBound).")
        }
        guard try !kinds().isEmpty else { throw ValidationError("--only and --without leave no kind to draw.") }
    }

    func time() throws -> Duration { try budget.map { try EndingOptions.time($0) } ?? .seconds(600) }

    /// The kinds of disturbances that may be drawn.
    func kinds() throws(ValidationError) -> [DisturbanceKind] {
        let chosen = try only.isEmpty ? Set(DisturbanceKind.allCases) : Self.kinds(only, "--only")
        let left = chosen.subtracting(try Self.kinds(without, "--without"))
        return DisturbanceKind.allCases.filter(left.contains)
    }

    private static func kinds(_ words: [String], _ option: String) throws(ValidationError) -> Set<DisturbanceKind> {
        let groups = DisturbanceKind.Group.allCases.map(\.rawValue)
        let names = groups + DisturbanceKind.allCases.map(\.rawValue)
        var kinds: Set<DisturbanceKind> = []
        for word in words {
            let name = Profile.normalized(word)
            let found = DisturbanceKind.allCases.filter {
                Profile.normalized($0.rawValue) == name || $0.group.rawValue == name
            }
            guard !found.isEmpty else {
                let nearest = Spelling.nearest(to: word, among: names).map { "; did you mean '\($0)'?" } ?? ""
                throw ValidationError(
                    "\(option) '\(word)': no such kind\(nearest)\nexpected one of \(names.joined(separator: ", "))"
                )
            }
            kinds.formUnion(found)
        }
        return kinds
    }
}
