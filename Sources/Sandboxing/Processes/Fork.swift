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

    /// Starts a child that does a duty beside the command, with no signal held back, and of all that is open no more
    /// than standard error, if that is ours, and `descriptors`.
    static func helper(keeping descriptors: [CInt], _ body: () -> Never) throws(SandboxError) -> pid_t {
        try child {
            for number in [SIGPIPE] + InheritedSignals.terminal { signal(number, SIG_DFL) }
            var none = sigset_t()
            sigemptyset(&none)
            sigprocmask(SIG_SETMASK, &none, nil)
            Descriptors.letGoOfAll(but: descriptors)
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
