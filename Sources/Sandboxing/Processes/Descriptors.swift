// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkConditioning

/// The descriptors of this process. All of ours are closed on exec; those without that mark are the user's.
enum Descriptors {
    /// Fills standard input, output and error where they are closed, so that nothing of ours gets their numbers.
    /// The command finds them closed again.
    static func fillStandard() {
        while true {
            let descriptor = open("/dev/null", O_RDWR | O_CLOEXEC)
            guard (0...2).contains(descriptor) else {
                if descriptor > 2 { close(descriptor) }
                return
            }
        }
    }

    /// Lets go of what was inherited, standard input and output included: a reader of the command's output must see
    /// its end when the command closes it, not when we do.
    static func letGo(keepingErrors: Bool) {
        for descriptor in inherited() { close(descriptor) }
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard null >= 0 else { return }
        for descriptor in 0...(keepingErrors ? STDOUT_FILENO : STDERR_FILENO) {
            dup2(null, descriptor)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        if null > 2 { close(null) }
    }

    /// Closes everything but `descriptors`, which a helper needs.
    static func letGoOfAll(but descriptors: [CInt]) {
        for descriptor in Listing.numbers(in: "/proc/self/fd") where descriptor > 2 {
            if !descriptors.contains(descriptor) { close(descriptor) }
        }
        letGo(keepingErrors: false)
    }

    /// The descriptors above standard error that exec would leave open.
    private static func inherited() -> [CInt] {
        Listing.numbers(in: "/proc/self/fd").filter { descriptor in
            let flags = fcntl(descriptor, F_GETFD)
            return descriptor > 2 && flags >= 0 && flags & FD_CLOEXEC == 0
        }
    }

    /// Makes a pipe whose ends close on exec.
    static func pipe() throws(SandboxError) -> (read: CInt, write: CInt) {
        var ends: [CInt] = [0, 0]
        try checked(Glibc.pipe(&ends), "make a pipe")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Lets exec leave `descriptor` open.
    static func keepOnExec(_ descriptor: CInt) {
        _ = fcntl(descriptor, F_SETFD, 0)
    }

    /// Reads until the other end is closed.
    static func readToEnd(_ descriptor: CInt) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }
}
