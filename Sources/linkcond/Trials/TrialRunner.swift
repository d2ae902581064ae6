// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import LinuxSystem
import Sandboxing

/// Runs trials, several side by side, each a child process in a session of its own.
///
/// A signal to this process ends them all; so does its death. What a trial's process leaves is waited for, and ended.
final class TrialRunner {
    /// How many run at the same time.
    private let jobs: Int
    /// The commands' user; nil for the current user.
    let account: Account?
    private let inherited: InheritedSignals
    private let signals: SignalQueue
    private var queue: Range<Int> = 0..<0
    private var running: [Int32: Running] = [:]
    /// The first signal that arrived.
    private(set) var interruption: CInt?
    private var killTime: ContinuousClock.Instant?

    /// A trial that runs.
    private struct Running {
        let index: Int
        let trial: Trial
        let files: TrialFiles
        let start: ContinuousClock.Instant
    }

    /// What a display shows of a trial.
    enum State {
        case waiting
        case running(since: ContinuousClock.Instant, progress: String)
        case ended(TrialResult)
    }

    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// How long a trial has to end after a signal.
    private static let grace = Duration.seconds(5)
    private static let frame = Duration.milliseconds(100)

    /// Prepares this process, which must have a single thread.
    ///
    /// - Parameters:
    ///   - jobs: how many run at the same time.
    ///   - user: the commands' user; nil for the current user.
    init(jobs: Int, user: String?) throws {
        self.jobs = jobs
        account = try user.map { try Account(named: $0) }
        inherited = InheritedSignals.take()
        do {
            signals = try SignalQueue(Self.ending + [SIGCHLD])
        } catch {
            throw Failure(.internalError, "cannot start: \(error)")
        }
        // So that a trial's supervisor, which cleans up after a launcher that was killed, can be waited for.
        _ = lc_inherit_orphans()
    }

    /// Runs the trials, the first first.
    ///
    /// - Parameter observe: is called with the states of all trials, several times a second.
    /// - Returns: the results in the trials' order; nil where a signal came before the end.
    func run(_ trials: [Trial], observe: ([State]) -> Void) -> [TrialResult?] {
        var states = [State](repeating: .waiting, count: trials.count)
        queue = trials.indices
        defer { endAll() }
        while true {
            while running.count < jobs, interruption == nil, let index = queue.popFirst() {
                states[index] = start(trials[index], index)
            }
            observe(states)
            guard !running.isEmpty else { break }
            Wait.untilReadable([signals.descriptor], limit: Self.frame)
            takeSignals()
            for (process, status) in ChildStatus.all() {
                if let result = take(status, of: process) { states[result.index] = .ended(result.result) }
            }
            for each in running.values {
                each.files.limitLog()
                guard each.trial.isWatched else { continue }
                states[each.index] = .running(since: each.start, progress: each.files.readProgress())
            }
        }
        return states.map { if case .ended(let result) = $0 { result } else { nil } }
    }

    /// Restores the signals' effect, and dies of the one that arrived.
    func dieIfInterrupted() {
        SignalSet(Self.ending).restoreDefault()
        if let interruption { raise(interruption) }
    }

    /// Starts a trial. One that cannot be started, as where the disk is full, has ended: the others' results are kept.
    private func start(_ trial: Trial, _ index: Int) -> State {
        let start = ContinuousClock.now
        do {
            let (files, process) = try Failure.catching {
                let files = try TrialFiles(trial, for: account)
                let parent = getpid()
                let process = try Fork.child { Self.execute(trial, files, parent, inherited) }
                return (files, process)
            }
            running[process] = Running(index: index, trial: trial, files: files, start: start)
            return .running(since: start, progress: "")
        } catch {
            let reason = (error as? Failure)?.message ?? (error as? SandboxError)?.words ?? "\(error)"
            return .ended(
                TrialResult(
                    trial: trial,
                    end: .exited(125),
                    duration: .zero,
                    report: nil,
                    lastLines: ["linkcond: \(reason)"]
                )
            )
        }
    }

    /// Becomes the trial.
    private static func execute(
        _ trial: Trial,
        _ files: TrialFiles,
        _ parent: Int32,
        _ inherited: InheritedSignals
    ) -> Never {
        // Without a terminal: several commands cannot share its input.
        setsid()
        _ = lc_die_with_parent(SIGKILL)
        if getppid() != parent { _exit(125) }
        let null = open("/dev/null", O_RDWR)
        dup2(null, STDIN_FILENO)
        dup2(files.log, STDOUT_FILENO)
        dup2(files.log, STDERR_FILENO)
        if null > STDERR_FILENO { close(null) }
        files.pass()
        inherited.restore()
        let code = Fork.exec(trial.arguments, program: "/proc/self/exe")
        let message = Array("linkcond: cannot execute /proc/self/exe: \(String(cString: strerror(code)))\n".utf8)
        _ = Descriptors.write(message[...], to: STDERR_FILENO)
        _exit(125)
    }

    /// Takes a change of a child; its result if it has ended.
    private func take(_ status: ChildStatus, of process: Int32) -> (index: Int, result: TrialResult)? {
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
        let result = TrialResult(
            trial: ended.trial,
            end: status,
            duration: ended.start.duration(to: .now),
            report: ended.files.readReport(),
            lastLines: ended.files.lastLines()
        )
        return (ended.index, result)
    }

    private func takeSignals() {
        while let arrival = signals.next() {
            guard arrival.signal != SIGCHLD else { continue }
            for process in running.keys { kill(process, interruption == nil ? SIGTERM : SIGKILL) }
            if interruption == nil { killTime = .now + Self.grace }
            interruption = interruption ?? arrival.signal
            queue = 0..<0
        }
        if let killTime, killTime <= .now {
            for process in running.keys { kill(process, SIGKILL) }
            self.killTime = nil
        }
    }

    /// Ends what is left: trials if this one failed, and supervisors whose launcher was killed.
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
