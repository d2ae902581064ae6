// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkProfiles
import Reports
import Sandboxing

struct TimeoutOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "End the command after this time (\"90\" or \"90s\", \"5m\"), with status 124.",
            valueName: "TIME"
        ),
        transform: EndingOptions.time
    )
    var timeout: Duration?
}

struct UserOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Run the command as this user, with that user's groups and HOME (root only).",
            valueName: "USER"
        )
    )
    var user: String?
}

/// The options of commands that perform many runs.
struct TrialOptions: ParsableArguments {
    @OptionGroup(title: "Link") private var random: SeedOptions
    @OptionGroup(title: "Network") var uplink: UplinkOptions
    @OptionGroup(title: "Judge") private var time: TimeoutOptions
    @OptionGroup(title: "Rare") private var account: UserOptions

    var seed: UInt64? { random.seed }
    var timeout: Duration? { time.timeout }
    var user: String? { account.user }

    static let maximumRuns = TrialList.maximumCount
    /// The maximum number of concurrent runs: each has a network and several processes.
    static let maximumJobs = 1000
    /// The error messages for invalid numbers.
    static let repeatRange = "--repeat is from 1 to \(maximumRuns)."
    static let jobsRange = "--jobs is from 1 to \(maximumJobs)."

    mutating func validate() throws {
        guard user == nil || geteuid() == 0 else { throw ValidationError("--user needs root.") }
    }

    /// The options as typed on a command line, except for the seed.
    var words: [String] {
        uplink.words + (user.map { ["--user", $0] } ?? [])
            + (timeout.map { ["--timeout", $0.text.filter { $0 != " " }] } ?? [])
    }
}

extension Linkcond {
    static func require(_ command: [String], _ usage: String) throws(ValidationError) {
        guard let program = command.first else {
            throw ValidationError("Missing a command: linkcond \(usage) -- COMMAND")
        }
        guard !program.isEmpty else { throw ValidationError("The command is empty.") }
    }
}

extension WrappedCommand {
    /// The command in the last `count` arguments of this process.
    init(_ count: Int, user: String?, timeout: Duration?) throws {
        let account = try user.map { try Account(named: $0) }
        self.init(CommandLine.lastArguments(count), account: account, timeout: timeout)
    }
}

extension CommandLine {
    /// The arguments between the subcommand and "--", without the options in `names` and their values, and without
    /// `flags`.
    static func options(without names: Set<String>, flags: Set<String> = []) -> [String] {
        let words = arguments.dropFirst(2).prefix { $0 != "--" }.filter { !flags.contains($0) }
        var options: [String] = []
        var index = words.startIndex
        while index < words.endIndex {
            let isNamed = names.contains(words[index])
            if !isNamed, !names.contains(where: { words[index].hasPrefix("\($0)=") }) { options.append(words[index]) }
            index += isNamed ? 2 : 1
        }
        return options
    }

    /// The command line that repeats this process. The program's path on this machine is left out.
    ///
    /// - Parameter newSeed: the seed, if the command line has none.
    static func repetition(newSeed: UInt64? = nil) -> [String] {
        var words = ["linkcond"] + arguments.dropFirst()
        if let newSeed, let end = words.firstIndex(of: "--") {
            words.insert(contentsOf: ["--seed", "\(newSeed)"], at: end)
        }
        return words
    }

    /// The last `count` arguments as bytes, since a String would replace invalid UTF-8.
    static func lastArguments(_ count: Int) -> [[UInt8]] {
        UnsafeBufferPointer(start: unsafeArgv, count: Int(argc)).suffix(count)
            .map { argument in argument.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? [] }
    }
}
