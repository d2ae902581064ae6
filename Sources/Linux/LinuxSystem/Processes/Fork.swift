// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// Children of this process. Safe only while it has a single thread.
package enum Fork {
    /// Starts a child that runs `body`; returns its process ID. The child inherits all descriptors and signal settings:
    /// for a process that works beside this one, use ``HelperProcess``.
    ///
    /// - Parameter group: the control group to start the child in, if the kernel supports that; nil for this process's
    ///   group.
    package static func child(in group: ControlGroup? = nil, _ body: () -> Never) throws(SystemError) -> Int32 {
        let process = try checked(lc_fork(group?.descriptor ?? -1), "start a process")
        if process == 0 { body() }
        return process
    }

    /// Executes the program that `arguments` names; returns the error number if that fails.
    package static func exec(_ arguments: [String]) -> CInt {
        exec(arguments.map { Array($0.utf8) })
    }

    /// Executes the program that `arguments`, as bytes, name; returns the error number if that fails.
    package static func exec(_ arguments: [[UInt8]]) -> CInt {
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

package enum Executable {
    /// The path of the executable `name` in PATH, /usr/sbin or /sbin; nil if there is none.
    package static func path(of name: String) -> String? {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        let directories = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]
        return directories.map { "\($0)/\(name)" }.first { path in
            var facts = stat()
            return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
        }
    }
}
