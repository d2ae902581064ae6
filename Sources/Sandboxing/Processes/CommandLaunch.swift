// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// How the command is started: as if nothing stood between it and the user.
struct CommandLaunch {
    /// Program and arguments.
    let arguments: [String]
    /// Whose process it shall be; nil leaves that as it is.
    let account: Account?
    /// The user's process group, so that the terminal's keys reach it.
    let group: pid_t
    /// The signals as they were given to us.
    let signals: InheritedSignals
    /// Variables beside those it inherits.
    let environment: [(name: String, value: String)]

    /// What became of it.
    enum Outcome {
        case started(pid_t)
        case notStarted(CInt)
    }

    /// Starts it.
    func start() throws(SandboxError) -> Outcome {
        let report = try Descriptors.pipe()
        let keeper = getpid()
        let child = try Fork.child {
            setpgid(0, group)
            let words = prepare(childOf: keeper)
            var answer = words.map { Array($0.description.utf8) } ?? []
            if answer.isEmpty {
                let code = Fork.exec(arguments)
                answer = [0] + withUnsafeBytes(of: code) { Array($0) }
            }
            write(report.write, answer, answer.count)
            _exit(125)
        }
        close(report.write)
        defer { close(report.read) }
        let answer = Descriptors.readToEnd(report.read)
        guard let first = answer.first else { return .started(child) }
        _ = ChildStatus.wait(for: child)
        guard first == 0, answer.count == 5 else { throw SandboxError(String(decoding: answer, as: UTF8.self)) }
        return .notStarted(answer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 1, as: CInt.self) })
    }

    /// Makes this child what the command shall find itself to be; gives the reason where that fails.
    private func prepare(childOf keeper: pid_t) -> SandboxError? {
        do {
            try account?.assume()
            // After setuid(2), which would undo it; then the parent may have died before it took effect.
            try checked(lc_die_with_parent(SIGKILL), "tie the command to its keeper")
        } catch {
            return error
        }
        if getppid() != keeper { _exit(125) }
        for (name, value) in environment { setenv(name, value, 1) }
        signals.restore()
        return nil
    }
}
