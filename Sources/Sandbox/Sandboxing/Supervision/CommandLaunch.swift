// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem

/// Starts the command as the caller's shell would have started it.
struct CommandLaunch {
    let command: WrappedCommand
    /// The caller's process group, so that signals from the terminal's keys reach the command.
    let group: pid_t
    /// The signal settings that linkcond inherited.
    let signals: InheritedSignals
    /// The control group to start the command in; nil for the control group of this process.
    let controlGroup: ControlGroup?
    /// Variables in addition to the inherited ones.
    var environment: [(name: String, value: String)] = []
    /// Whether to make /proc/sys read-only for the command.
    var hasReadOnlySettings = false

    init(_ command: WrappedCommand, group: pid_t, signals: InheritedSignals, controlGroup: ControlGroup?) {
        (self.command, self.group, self.signals, self.controlGroup) = (command, group, signals, controlGroup)
    }

    /// A process that is about to execute the command; a signal may stop or end it before.
    struct Start {
        let process: pid_t
        /// Closed when the command is executed; otherwise has the reason for the failure.
        let report: CInt

        /// Reads the report once it is readable: the errno if the command could not be executed; nil if it was.
        func outcome() throws(SandboxError) -> CInt? {
            defer { close(report) }
            let answer = Descriptors.readToEnd(report)
            guard let first = answer.first else { return nil }
            _ = ChildStatus.wait(for: process)
            guard first == 0, answer.count == 5 else { throw SandboxError(String(decoding: answer, as: UTF8.self)) }
            return answer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 1, as: CInt.self) }
        }
    }

    func start() throws(SandboxError) -> Start {
        let report = try onSystem(Descriptors.pipe())
        let supervisor = getpid()
        let child = try onSystem(
            Fork.child(in: controlGroup) {
                setpgid(0, group)
                let failure = prepare(childOf: supervisor)
                var answer = failure.map { Array($0.description.utf8) } ?? []
                if answer.isEmpty {
                    if let body = command.body {
                        // Close the report, as exec(3) would.
                        close(report.write)
                        _exit(body())
                    }
                    let code = Fork.exec(command.arguments)
                    answer = [0] + withUnsafeBytes(of: code) { Array($0) }
                }
                write(report.write, answer, answer.count)
                _exit(125)
            }
        )
        // Parent and child both set the process group, since either may run first.
        setpgid(child, group)
        close(report.write)
        return Start(process: child, report: report.read)
    }

    /// Sets up this child for the command; returns the reason for a failure.
    private func prepare(childOf supervisor: pid_t) -> SandboxError? {
        let account = command.account
        do {
            if hasReadOnlySettings { try NamespaceSet.closeSettings() }
            try account?.assume()
            // Root's commands may use su and sudo. For others, programs that change the user gain nothing in a sandbox.
            if geteuid() != 0 || account != nil {
                try checked(lc_prctl(PR_SET_NO_NEW_PRIVS, 1), "forbid new privileges")
            }
            // The command shares the caller's terminal: the caller's shell would execute what the command put into the
            // input queue.
            if account != nil { try checked(lc_forbid_terminal_input(), "keep the command from typing for the caller") }
            // After setuid(2), which would clear the signal. The parent may have died before it was set.
            try checked(lc_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL)), "tie the command to its supervisor")
        } catch {
            return error
        }
        if getppid() != supervisor { _exit(125) }
        for (name, value) in environment { setenv(name, value, 1) }
        signals.restore()
        return nil
    }
}
