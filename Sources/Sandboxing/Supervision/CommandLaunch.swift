// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem

/// How the command is started: as if nothing stood between it and the user.
struct CommandLaunch {
    /// Program and arguments.
    let arguments: [[UInt8]]
    /// Whose process it shall be; nil leaves that as it is.
    let account: Account?
    /// The user's process group, so that the terminal's keys reach it.
    let group: pid_t
    /// The signals as they were given to us.
    let signals: InheritedSignals
    /// Variables beside those it inherits.
    let environment: [(name: String, value: String)]

    /// A process that becomes the command, unless a signal stops or ends it before.
    struct Start {
        let process: pid_t
        /// Ends when it has become the command, or says why it could not.
        let report: CInt

        /// Takes note of the report once it is readable.
        ///
        /// - Returns: the error number where it could not be executed; nil where it was.
        func outcome() throws(SandboxError) -> CInt? {
            defer { close(report) }
            let answer = Descriptors.readToEnd(report)
            guard let first = answer.first else { return nil }
            _ = ChildStatus.wait(for: process)
            guard first == 0, answer.count == 5 else { throw SandboxError(String(decoding: answer, as: UTF8.self)) }
            return answer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 1, as: CInt.self) }
        }
    }

    /// Starts it.
    func start() throws(SandboxError) -> Start {
        let report = try onSystem { () throws(SystemError) in try Descriptors.pipe() }
        let supervisor = getpid()
        let child = try onSystem { () throws(SystemError) in
            try Fork.child {
                setpgid(0, group)
                let words = prepare(childOf: supervisor)
                var answer = words.map { Array($0.description.utf8) } ?? []
                if answer.isEmpty {
                    let code = Fork.exec(arguments)
                    answer = [0] + withUnsafeBytes(of: code) { Array($0) }
                }
                write(report.write, answer, answer.count)
                _exit(125)
            }
        }
        // By both, so that it is in the group whichever goes on first.
        setpgid(child, group)
        close(report.write)
        return Start(process: child, report: report.read)
    }

    /// Makes this child what the command shall find itself to be; gives the reason where that fails.
    private func prepare(childOf supervisor: pid_t) -> SandboxError? {
        do {
            try account?.assume()
            // After setuid(2), which would undo it; then the parent may have died before it took effect.
            try checked(lc_die_with_parent(SIGKILL), "tie the command to its supervisor")
        } catch {
            return error
        }
        if getppid() != supervisor { _exit(125) }
        for (name, value) in environment { setenv(name, value, 1) }
        signals.restore()
        return nil
    }
}
