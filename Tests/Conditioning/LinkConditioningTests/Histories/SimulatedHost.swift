// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LinuxSystem
import TestKit

@testable import LinkConditioning
@testable import TrafficControl

/// A machine with a kernel, a journal's file system, a clock and processes, of which one runs at a time. Which one goes on
/// after a request is decided by a seed.
final class SimulatedHost: @unchecked Sendable {
    struct File {
        /// A lock belongs to the file, not to its name.
        let number: Int
        var bytes: [UInt8]
    }

    var kernel = SimulatedKernel()
    /// What processes know of the kernel.
    var facts = KernelFacts(version: KernelVersion(6, 12))
    var files: [String: File] = [:]
    /// The process that has locked a file, by the file's number.
    var locks: [Int: Int32] = [:]
    /// How often a file was replaced or deleted.
    var changes = 0
    var now = Duration.seconds(1000)
    /// Whether the kernel reads no file for a process at the moment.
    var isUnreadable: (SimulatedProcess) -> Bool = { _ in false }
    /// A file that cannot be read at all.
    var unreadableFile: String?
    /// Whether the file system of the journal is read-only.
    var isReadOnly = false
    /// How many more files can be written before its disk is full; nil for any number.
    var roomForFiles: Int?
    var bootID = "boot-1"
    var processes: [SimulatedProcess] = []
    /// The processes that were killed and have not been looked at yet.
    var deaths: [SimulatedProcess] = []
    /// Whether processes did not come to rest.
    private(set) var isStuck = false
    /// How many requests all processes have made.
    var requests = 0
    private var numbers = 0
    private var random: SeededGenerator
    private let returned = DispatchSemaphore(value: 0)
    /// Beyond all process IDs of Linux, so that no real process is meant.
    private var nextProcess: Int32 = 100_000_000

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    func nextNumber() -> Int {
        numbers += 1
        return numbers
    }

    /// Starts a process, which runs when `run` lets it.
    @discardableResult
    func start(
        _ name: String,
        on interface: String?,
        isGuardian: Bool = false,
        killedAt step: Int? = nil,
        _ body: @escaping (SimulatedProcess) -> Void
    ) -> SimulatedProcess {
        nextProcess += 1
        let process = SimulatedProcess(self, nextProcess, name, interface, isGuardian: isGuardian, killedAt: step)
        processes.append(process)
        nonisolated(unsafe) let body = body
        do {
            try PosixThread.detach {
                process.turn.wait()
                body(process)
                process.end()
                self.returned.signal()
            }
        } catch {
            process.end()
            processes.removeLast()
            isStuck = true
        }
        return process
    }

    /// Lets processes run until all wait for what does not come by itself before `limit`.
    ///
    /// - Parameter isDone: whether to return although time would let processes go on.
    func run(until limit: Duration, isDone: () -> Bool = { false }) {
        let start = requests
        while true {
            // A guardian that waits a minute for a lock makes some ten thousand.
            isStuck = isStuck || requests - start > 60_000
            guard !isStuck else { return killUnstoppable() }
            let ready = processes.filter { $0.isReady(at: now) }
            if let next = ready.isEmpty ? nil : random.pick(ready) {
                next.turn.signal()
                returned.wait()
                processes.removeAll(where: \.hasEnded)
                continue
            }
            guard !isDone(), let wake = processes.compactMap(\.wakesAt).min(), wake <= limit else { break }
            now = max(now, wake)
        }
        if !isDone() { now = max(now, limit) }
    }

    /// Whether the running process is to stop for another one now.
    func isInterrupted(_ running: SimulatedProcess) -> Bool {
        processes.contains { $0 !== running && $0.isReady(at: now) } && random.isOne(in: 6)
    }

    /// Gives the turn back until it comes again.
    func wait(_ process: SimulatedProcess) {
        returned.signal()
        process.turn.wait()
    }

    func kill(_ process: SimulatedProcess) {
        guard !process.isDead else { return }
        process.isDead = true
        deaths.append(process)
        locks = locks.filter { $0.value != process.process.processID }
    }

    func isAlive(_ id: Int32) -> Bool {
        processes.contains { $0.process.processID == id && !$0.isDead && !$0.hasEnded }
    }

    private func killUnstoppable() {
        processes.forEach(kill)
        while let process = processes.first {
            process.turn.signal()
            returned.wait()
            processes.removeAll(where: \.hasEnded)
        }
    }

    /// Ends every process.
    func killAll() {
        processes.forEach(kill)
        run(until: now)
    }
}
