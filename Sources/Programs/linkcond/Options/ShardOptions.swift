// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkProfiles
import LinuxSystem
import Reports

/// Which of many runs this process makes.
struct ShardOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            Make only this part of the runs, such as 2/4, the second of four. "auto" and "auto/4" take the number from \
            the environment of a parallel job of GitLab, or of an indexed Job of Kubernetes.
            """,
            valueName: "K/N"
        )
    )
    var shard: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --shard: make parts that take the same time, by the durations in this earlier report.",
            valueName: "REPORT"
        )
    )
    var timings: String?

    @Flag(name: .long, help: "Print the runs, a line of JSON each with the command that repeats it, and run nothing.")
    var listTrials = false

    /// The options that differ between shards, each with a value.
    static let ownNames: Set<String> = ["--shard", "--timings"]

    /// The most bytes of a report: 100 000 runs have less.
    private static let longestReport = 512 << 20

    var isEmpty: Bool { shard == nil && timings == nil && !listTrials }

    func validate() throws {
        guard timings == nil || shard != nil else { throw ValidationError("--timings needs --shard.") }
    }

    /// Selects the runs of the shard, or all.
    ///
    /// - Parameter isSeeded: whether the command line has the seed.
    func selection(of list: TrialList, isSeeded: Bool) throws -> TrialSelection {
        guard let text = shard else { return TrialSelection(list) }
        let shard: Shard
        do throws(UnreadableShard) {
            shard = try Shard(parsing: text, environment: Self.environment)
        } catch {
            throw Failure(.usage, "--shard \(error)", remedy: error.remedy.map { "--shard \($0)" })
        }
        guard isSeeded || list.seed == nil else {
            throw Failure(.usage, "--shard needs --seed: each shard would draw another one", remedy: "--seed 1")
        }
        guard let timings else { return TrialSelection(list, shard, by: ShardAssignment()) }
        let bytes = try Self.report(timings)
        guard let json = try? JSON(utf8: bytes), let assignment = ShardAssignment(timings: json) else {
            let problem = "--timings \(timings) is no whole report of matrix or run --repeat"
            throw Failure(.badProfile, problem, remedy: Self.timingsRemedy)
        }
        return TrialSelection(list, shard, by: assignment, timings: SHA256.text(of: bytes))
    }

    private static var environment: [String: String] {
        let values = Shard.variables.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
        return Dictionary(uniqueKeysWithValues: values)
    }

    private static let timingsRemedy = "--timings DIR, with the DIR of an earlier --report"

    private static func report(_ path: String) throws(Failure) -> [UInt8] {
        do throws(SystemError) {
            let file = path.hasSuffix(".json") ? path : "\(path)/summary.json"
            return try SmallFile.read(file, followsLinks: true, limit: longestReport)
        } catch {
            let failure = Failure(error)
            throw Failure(failure.status, "--timings \(path): \(failure.problem)", remedy: timingsRemedy)
        }
    }
}
