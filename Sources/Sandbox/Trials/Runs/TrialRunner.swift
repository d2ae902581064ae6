// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import ClientVerdicts
internal import Glibc
package import LinuxSystem
package import Reports
internal import Sandboxing

/// Runs trials, several at the same time, each in a child process with its own session.
///
/// A signal to this process, or its death, ends all trials. The runner waits for processes that a trial leaves, and
/// ends them.
package final class TrialRunner {
    /// Decides how many trials run at the same time.
    private var pace: JobPace
    /// Runs a trial in the trial's process, whose output is the trial's log.
    private let body: (Trial, TrialFiles) -> Never
    /// Returns the words for the reason why a trial could not be started.
    private let words: (any Error) -> String
    private let inherited: InheritedSignals
    private let signals: SignalQueue
    private var running: [Int32: Running] = [:]
    /// The first signal that arrived.
    package private(set) var interruption: CInt?
    private var killTime: ContinuousClock.Instant?

    /// A trial that runs.
    private struct Running {
        let index: Int
        let trial: Trial
        let files: TrialFiles
        let start: ContinuousClock.Instant
    }

    /// The state of a trial, for a display.
    package enum State {
        case waiting
        case running(since: ContinuousClock.Instant, progress: String)
        case ended(TrialsReport.Trial)
    }

    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// The time for a trial to end after a signal.
    private static let grace = Duration.seconds(5)
    private static let frame = Duration.milliseconds(100)

    /// Prepares this process, which must have a single thread.
    package init(
        pace: JobPace,
        words: @escaping (any Error) -> String,
        body: @escaping (Trial, TrialFiles) -> Never
    ) throws(SystemError) {
        (self.pace, self.words, self.body) = (pace, words, body)
        inherited = InheritedSignals.readAndReplace()
        signals = try SignalQueue(Self.ending + [SIGCHLD])
        // The runner inherits orphans to wait for a trial's supervisor, which cleans up after a launcher that was killed.
        _ = lc_inherit_orphans()
    }

    /// Runs the trials in their order; returns the results in the same order, nil for a trial that had not ended before
    /// a signal. `observe` is called with the states of all trials, several times a second.
    package func run(_ trials: [Trial], observe: ([State]) -> Void) -> [TrialsReport.Trial?] {
        var states = [State](repeating: .waiting, count: trials.count)
        var queue = trials.indices
        defer { endAll() }
        while true {
            pace.update(running: running.count, ProcessorTimes.now)
            while running.count < pace.limit, interruption == nil, let index = queue.popFirst() {
                states[index] = start(trials[index], index)
            }
            observe(states)
            guard !running.isEmpty else { break }
            Wait.untilReadable([signals.descriptor], limit: Self.frame)
            handleSignals()
            for (process, status) in ChildStatus.all() {
                if let result = handle(status, of: process) { states[result.index] = .ended(result.result) }
            }
            for each in running.values {
                each.files.limitLog()
                guard each.trial.isWatched else { continue }
                states[each.index] = .running(since: each.start, progress: each.files.readProgress())
            }
        }
        return states.map { if case .ended(let result) = $0 { result } else { nil } }
    }

    /// Restores the signals' default actions, and raises the signal that arrived, if any.
    package func dieIfInterrupted() {
        SignalSet(Self.ending).restoreDefault()
        if let interruption { raise(interruption) }
    }

    /// Starts a trial. If that fails, as on a full disk, the trial counts as ended, so that the others' results are
    /// kept.
    private func start(_ trial: Trial, _ index: Int) -> State {
        let start = ContinuousClock.now
        do {
            let files = try TrialFiles(trial)
            let parent = getpid()
            // Not a `HelperProcess`: the trial uses this process's descriptors and signals for the command, and dies
            // with this process.
            let process = try Fork.child { execute(trial, files, parent) }
            running[process] = Running(index: index, trial: trial, files: files, start: start)
            return .running(since: start, progress: "")
        } catch {
            let failure = words(error)
            return .ended(trial.result(nil, status: nil, failure: failure, .zero, ["linkcond: \(failure)"]))
        }
    }

    /// Turns the child into the trial's process, which has a copy of the plan and reads no options again.
    private func execute(_ trial: Trial, _ files: TrialFiles, _ parent: Int32) -> Never {
        // Without a terminal: several commands cannot share its input.
        setsid()
        _ = lc_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL))
        if getppid() != parent { _exit(125) }
        files.keepAlone()
        inherited.restore()
        body(trial.beside(pace.maximum), files)
    }

    /// Handles a change of a child; returns the trial's result if the child has ended.
    private func handle(_ status: ChildStatus, of process: Int32) -> (index: Int, result: TrialsReport.Trial)? {
        switch status {
        case .continued: return nil
        // The command stopped itself, and no user is at a terminal to continue it.
        case .stopped:
            kill(process, SIGCONT)
            return nil
        case .exited, .killed: break
        }
        guard let ended = running.removeValue(forKey: process) else { return nil }
        defer { ended.files.close() }
        guard interruption == nil else { return nil }
        let (report, digest, said) = ended.files.readResult()
        // `run` distinguishes 126 from 127.
        let exitStatus = if case .exited(let status) = status { status } else { CInt(126) }
        let ownStatus = report.map { if case .notStarted = $0.outcome { exitStatus } else { $0.outcome.exitStatus } }
        let result = ended.trial.result(
            report,
            status: ownStatus,
            failure: report == nil ? status.failure ?? said ?? "linkcond wrote no report" : nil,
            report?.duration ?? ended.start.duration(to: .now),
            ended.files.lastLines(),
            digest: digest
        )
        return (ended.index, result)
    }

    private func handleSignals() {
        while let arrival = signals.next() {
            guard arrival.signal != SIGCHLD else { continue }
            for process in running.keys { kill(process, interruption == nil ? SIGTERM : SIGKILL) }
            if interruption == nil { killTime = .now + Self.grace }
            interruption = interruption ?? arrival.signal
        }
        if let killTime, killTime <= .now {
            for process in running.keys { kill(process, SIGKILL) }
            self.killTime = nil
        }
    }

    /// Ends remaining processes: trials, if this process failed, and supervisors whose launcher was killed.
    private func endAll() {
        for process in running.keys { kill(process, SIGTERM) }
        let descendants = Descendants()
        // SIGTERM does not stop a supervisor that cleans up; SIGKILL would.
        descendants.end(grace: Self.grace * 2)
        descendants.close()
        for each in running.values { each.files.close() }
        running = [:]
    }
}

extension Trial {
    fileprivate func result(
        _ report: RunReport?,
        status: Int32?,
        failure: String?,
        _ duration: Duration,
        _ lastLines: [String],
        digest: String? = nil
    ) -> TrialsReport.Trial {
        var result = TrialsReport.Trial(
            index: entry?.index ?? 0,
            name: name,
            directory: directory,
            log: TrialFiles.logName,
            status: status,
            failure: failure,
            report: report,
            duration: duration,
            lastLines: lastLines,
            digest: digest
        )
        if result.isSuccess { result.lastLines = [] }
        return result
    }
}

extension ChildStatus {
    /// The reason why linkcond itself failed, if a signal ended it.
    fileprivate var failure: String? {
        if case .killed(let signal) = self { "linkcond was killed by signal \(signal)" } else { nil }
    }
}
