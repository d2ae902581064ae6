// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem

/// A monitor that watches targets beside a command.
package struct MonitorTask: Sendable {
    /// Watches until SIGTERM, prints to standard output, and returns the exit status. Appends its verdicts to the run's
    /// events, if there are any.
    let run: @Sendable (_ events: CInt?) -> CInt
    /// The open file to which the events of the run are appended; nil for none.
    package var events: CInt?
    /// Whether the monitor connects to unix sockets, some of which may belong to other users.
    let connectsToPaths: Bool

    package init(connectsToPaths: Bool, run: @escaping @Sendable (_ events: CInt?) -> CInt) {
        (self.connectsToPaths, self.run) = (connectsToPaths, run)
    }
}

/// The process of a monitor in the command's network, with no more privileges than its probes need. Its output is printed
/// after the command's end.
struct MonitorProcess {
    let process: Int32
    /// The monitor's output, in memory.
    private let output: CInt

    /// The time limit for the monitor's summary.
    private static let summaryTimeout = Duration.seconds(2)

    /// Starts the monitor as the command's user. The calling process must have a single thread.
    static func start(
        _ task: MonitorTask,
        as account: Account?,
        variables: [(name: String, value: String)]
    ) throws(SandboxError) -> MonitorProcess {
        let output = try checked(lc_open_memory("lc-monitor"), "get memory for the monitor's output")
        let supervisor = getpid()
        let process = try onSystem(
            HelperProcess.start(
                "lc-monitor",
                "watches targets beside a command",
                keeping: [OpenDescriptor(output), task.events.map(OpenDescriptor.init)]
            ) {
                for descriptor in [STDOUT_FILENO, STDERR_FILENO] { dup2(output, descriptor) }
                for (name, value) in variables { setenv(name, value, 1) }
                confine(task, as: account, childOf: supervisor)
                _exit(task.run(task.events))
            }
        )
        return MonitorProcess(process: process.id, output: output)
    }

    /// Becomes the command's user, and drops the privileges that the probes do not need.
    private static func confine(_ task: MonitorTask, as account: Account?, childOf supervisor: pid_t) {
        // Otherwise the change of the user would clear the capabilities.
        lc_prctl(PR_SET_KEEPCAPS, 1)
        do {
            try account?.assume()
        } catch {
            let message = "linkcond: \(error)\n"
            write(STDERR_FILENO, message, message.utf8.count)
            _exit(1)
        }
        var kept: Confinement.Capabilities = []
        // The sandbox's network lets every group ping from ordinary sockets; the host's may let none, icmp(7).
        let echo = lc_open_echo_socket(0, 0)
        if echo < 0 { kept.insert(.rawSockets) } else { close(echo) }
        // A command of root could connect to any socket.
        if account == nil, task.connectsToPaths { kept.insert(.allFiles) }
        // The monitor has no channel that shows the supervisor's end. Set after setuid(2), which would clear the
        // signal; the supervisor may have ended before.
        lc_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL))
        guard getppid() == supervisor else { _exit(1) }
        Confinement.enter(.probes, keeping: kept)
    }

    /// Requests the summary, waits for it, and returns the whole output, in pieces of whole lines.
    func finish(_ children: SignalQueue) -> [String] {
        defer { close(output) }
        kill(process, SIGTERM)
        // The supervisor reaps the monitor with its other children.
        if !ChildStatus.wait(for: process, limit: Self.summaryTimeout, children) { kill(process, SIGKILL) }
        lseek(output, 0, SEEK_SET)
        let text = String(decoding: Descriptors.readToEnd(output), as: UTF8.self)
        var pieces: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let last = pieces.last, last.utf8.count + line.utf8.count < Self.pieceLength {
                pieces[pieces.count - 1] = "\(last)\n\(line)"
            } else {
                pieces.append(String(line))
            }
        }
        return pieces
    }

    /// The most bytes of a piece, so that it fits into one message.
    private static let pieceLength = 16384
}
