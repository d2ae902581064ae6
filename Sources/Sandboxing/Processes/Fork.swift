// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// Children of this process. Sound only while it has one thread.
enum Fork {
    /// Starts a child that runs `body`, and gives its number.
    static func child(_ body: () -> Never) throws(SandboxError) -> pid_t {
        let process = try checked(lc_fork(), "start a process")
        if process == 0 { body() }
        return process
    }

    /// Starts a child that does a duty beside the command, with no signal held back and none of the user's files.
    static func helper(_ body: () -> Never) throws(SandboxError) -> pid_t {
        try child {
            for number in [SIGPIPE] + InheritedSignals.terminal { signal(number, SIG_DFL) }
            var none = sigset_t()
            sigemptyset(&none)
            sigprocmask(SIG_SETMASK, &none, nil)
            Descriptors.letGo(keepingErrors: false)
            body()
        }
    }

    /// Becomes the program `arguments` names; comes back with the error number where that fails.
    static func exec(_ arguments: [String]) -> CInt {
        exec(arguments.map { Array($0.utf8) })
    }

    /// Becomes the program `arguments` names, each in bytes; comes back with the error number where that fails.
    static func exec(_ arguments: [[UInt8]]) -> CInt {
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { bytes in
            (bytes + [0]).withUnsafeBytes { $0.baseAddress.map { strdup($0.assumingMemoryBound(to: CChar.self)) } }
        }
        pointers.append(nil)
        defer { pointers.forEach { free($0) } }
        guard let program = pointers[0] else { return ENOENT }
        execvp(program, pointers)
        return errno
    }
}

/// What a program of the system says, asked as a child of ours.
public enum SystemQuery {
    /// The lines of standard output, and of standard error where `withErrors`; none where it cannot be run.
    public static func lines(_ arguments: [String], withErrors: Bool = false) -> [String] {
        guard let output = try? Descriptors.pipe() else { return [] }
        let child = try? Fork.child {
            let null = open("/dev/null", O_RDWR)
            dup2(null, STDIN_FILENO)
            dup2(output.write, STDOUT_FILENO)
            dup2(withErrors ? output.write : null, STDERR_FILENO)
            _ = Fork.exec(arguments)
            _exit(127)
        }
        close(output.write)
        defer { close(output.read) }
        guard let child else { return [] }
        let text = String(decoding: Descriptors.readToEnd(output.read), as: UTF8.self)
        _ = ChildStatus.wait(for: child)
        return text.split(separator: "\n").map(String.init)
    }
}
