// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import Glibc
import LinkConditioning
import LinkProfiles
import LinuxSystem
import ProfileCatalog
import Reports
import Sandboxing

/// The begin and the end of an observed run.
extension ObservationOptions {
    /// Opens the files, and settles what the run needs to be repeated.
    ///
    /// - Parameters:
    ///   - capture: the file that --capture names.
    ///   - account: the command's user; nil for the current user.
    ///   - request: the first conditions, which get a seed.
    ///   - steps: the steps of the scenario, which get the same seed.
    func begin(
        _ command: [String],
        _ loaded: LoadedProfile?,
        _ scenario: LoadedScenario?,
        _ capture: String?,
        for account: Account?,
        _ request: inout RuleRequest?,
        _ steps: inout SandboxScenario?
    ) throws -> ObservedRun {
        // The command and the processes beside it must not inherit it.
        if let reportDescriptor { _ = fcntl(reportDescriptor, F_SETFD, FD_CLOEXEC) }
        let directory = try report.map { try ReportDirectory($0, for: account) }
        let files = try Failure.catching {
            if let directory { return try ObservationFiles(in: directory) }
            return try capture.map { try ObservationFiles(capture: $0, for: account) } ?? ObservationFiles()
        }
        let seed = request?.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
        request?.seed = seed
        request?.engine = .userspace
        steps?.setSeed(seed)
        var name = utsname()
        uname(&name)
        let kernel = withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let setting = RunReport.Setting(
            command: command,
            profile: loaded?.profile.name,
            scenario: scenario?.scenario.name,
            seed: seed,
            engine: Engine.userspace.rawValue,
            kernel: kernel,
            version: Linkcond.version,
            repetition: CommandLine.repetition(seed: seed)
        )
        let expected = try expectations + (scenario?.expectations() ?? [])
        var run = ObservedRun(files, expected, setting, for: account)
        run.directory = directory
        run.profiles = (scenario?.profiles ?? [loaded].compactMap { $0 }).map(\.profile)
        return run
    }

    /// Prints the verdicts and writes the report.
    ///
    /// - Returns: the exit status of a run whose command's own is 0: 125 if the report could not be written, 1 if an
    ///   expectation failed.
    func finish(_ run: ObservedRun, _ end: CommandEnd) -> CInt {
        var result = run.report(end, timeline: report != nil)
        // Before this process adds lines of its own.
        if let report { result.output = run.output.read(besides: report) }
        for line in VerdictText.lines(of: result) { Console.failure(line) }
        let isWritten = Failure.attempt {
            try run.directory?.write(result, events: run.files.events, strict: strict)
        }
        let isHandedBack = Failure.attempt {
            guard let reportDescriptor else { return }
            var verdicts = result
            verdicts.timeline = nil
            let bytes = Array(verdicts.json.text.utf8)
            if let code = Descriptors.write(bytes[...], to: reportDescriptor) {
                throw SystemError(operation: "hand back the report", code: code)
            }
        }
        guard isWritten, isHandedBack else { return Linkcond.wrapperFailure }
        return result.verdict == .fail || strict && result.verdict == .inconclusive ? 1 : 0
    }
}

extension CommandLine {
    /// The arguments of this process with the seed.
    static func repetition(seed: UInt64) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        let options = options(without: ["--seed", "--report-descriptor", "--progress", "--progress-descriptor"])
        return ["linkcond", "run"] + options + ["--seed", "\(seed)"] + arguments[end...]
    }

    /// The arguments after the subcommand and before "--", without the options of these names and their values.
    static func options(without names: Set<String>) -> [String] {
        let words = arguments.dropFirst(2).prefix { $0 != "--" }
        var options: [String] = []
        var index = words.startIndex
        while index < words.endIndex {
            let isNamed = names.contains(words[index])
            if !isNamed, !names.contains(where: { words[index].hasPrefix("\($0)=") }) { options.append(words[index]) }
            index += isNamed ? 2 : 1
        }
        return options
    }

    /// The last arguments as bytes: a String would replace invalid UTF-8.
    static func lastArguments(_ count: Int) -> [[UInt8]] {
        UnsafeBufferPointer(start: unsafeArgv, count: Int(argc)).suffix(count)
            .map { argument in argument.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? [] }
    }
}
