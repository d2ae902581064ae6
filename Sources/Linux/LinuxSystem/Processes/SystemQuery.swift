// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Runs a program of the system, found in PATH, and returns its output.
package enum SystemQuery {
    /// The lines of standard output, and of standard error if `withErrors`; empty if the program cannot be run.
    package static func lines(_ arguments: [String], withErrors: Bool = false) -> [String] {
        guard let output = try? Descriptors.pipe() else { return [] }
        let child = try? Fork.child {
            let null = open("/dev/null", O_RDWR)
            // If source and target are equal, dup2(2) does nothing, and exec would close the descriptor.
            for (source, target) in [
                (output.write, STDOUT_FILENO), (null, STDIN_FILENO), (withErrors ? output.write : null, STDERR_FILENO),
            ] {
                dup2(source, target)
                Descriptors.keepOnExec(target)
            }
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
