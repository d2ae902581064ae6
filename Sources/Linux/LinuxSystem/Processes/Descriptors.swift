// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
package import Glibc

/// The descriptors of this process. Descriptors that it opens are closed on exec; those without that flag were
/// inherited.
package enum Descriptors {
    /// Opens /dev/null for each closed standard stream, so that no other file gets its number. These descriptors are
    /// closed on exec, so the command finds the streams closed as before.
    package static func fillStandard() {
        while true {
            let descriptor = open("/dev/null", O_RDWR | O_CLOEXEC)
            guard (0...2).contains(descriptor) else {
                if descriptor > 2 { close(descriptor) }
                return
            }
        }
    }

    /// Closes inherited descriptors, including standard input and output: a reader of the command's output must see its
    /// end when the command closes it, not when this process does.
    package static func closeInherited(keepsStandardError: Bool) {
        for descriptor in all(closedOnExec: false) { close(descriptor) }
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard null >= 0 else { return }
        for descriptor in 0...(keepsStandardError ? STDOUT_FILENO : STDERR_FILENO) {
            dup2(null, descriptor)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        if null > 2 { close(null) }
    }

    /// Closes everything except `descriptors`; the standard streams become /dev/null.
    package static func closeAll(except descriptors: [CInt]) {
        for descriptor in listed() where descriptor > 2 {
            if !descriptors.contains(descriptor) { close(descriptor) }
        }
        closeInherited(keepsStandardError: false)
    }

    /// Closes the descriptors that exec(2) would close, except `descriptors`.
    package static func closePrivate(except descriptors: [CInt]) {
        for descriptor in all(closedOnExec: true) where !descriptors.contains(descriptor) { close(descriptor) }
    }

    /// The descriptors above standard error with or without the close-on-exec flag.
    private static func all(closedOnExec isPrivate: Bool) -> [CInt] {
        listed().filter { descriptor in
            let flags = fcntl(descriptor, F_GETFD)
            return descriptor > 2 && flags >= 0 && (flags & FD_CLOEXEC != 0) == isPrivate
        }
    }

    /// The open descriptors; if /proc cannot be read, all possible ones: if a guardian kept an interface's inherited
    /// lock, it would lock out every other process.
    package static func listed(in directory: String = "/proc/self/fd") -> [CInt] {
        if let names = try? DirectoryListing.read(directory) { return names.compactMap { CInt($0) } }
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return Array(0..<1024) }
        return Array(0..<CInt(min(limit.rlim_cur, 1 << 20)))
    }

    /// Raises this process's limit of open descriptors to the maximum. The usual limit of 1,024 exists for select(2).
    package static func raiseLimit() {
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(kind, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(kind, &limit)
    }

    /// Makes a pipe whose ends close on exec.
    package static func pipe() throws(SystemError) -> (read: CInt, write: CInt) {
        var ends: [CInt] = [0, 0]
        try checked(Glibc.pipe(&ends), "make a pipe")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Makes a pair of connected unix sockets that close on exec.
    package static func socketPair(_ type: __socket_type) throws(SystemError) -> (CInt, CInt) {
        var ends: [CInt] = [0, 0]
        let flags = CInt(type.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        try checked(socketpair(AF_UNIX, flags, 0, &ends), "make a socket pair")
        return (ends[0], ends[1])
    }

    /// Clears the close-on-exec flag of `descriptor`.
    package static func keepOnExec(_ descriptor: CInt) {
        _ = fcntl(descriptor, F_SETFD, 0)
    }

    /// Writes all of `bytes`; returns the errno if that fails, or nil.
    package static func write(_ bytes: ArraySlice<UInt8>, to descriptor: CInt) -> CInt? {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Another process that shares the terminal or pipe made it non-blocking.
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&request, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }

    /// Reads a file from its start in pieces, without using its offset, which other processes may share.
    package static func read(_ descriptor: CInt, _ body: (ArraySlice<UInt8>) throws -> Void) rethrows {
        var offset = 0
        try read(descriptor, from: &offset) { piece in
            try body(piece)
            return true
        }
    }

    /// Reads a file from `offset` in pieces, and advances `offset`, until the file's end or until `body` returns false.
    package static func read(
        _ descriptor: CInt,
        from offset: inout Int,
        _ body: (ArraySlice<UInt8>) throws -> Bool
    ) rethrows {
        // For a buffer above 128 KiB, malloc(3) would have the kernel map it page by page each time: a followed file is
        // read ten times a second.
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = pread(descriptor, &buffer, buffer.count, offset)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            offset += count
            guard try body(buffer[..<count]) else { return }
        }
    }

    /// Appends the contents of the file `source` to `target`; returns the errno if that fails, or nil.
    package static func copy(_ source: CInt, to target: CInt) -> CInt? {
        var failure: CInt?
        read(source) { piece in failure = failure ?? write(piece, to: target) }
        return failure
    }

    /// Makes a file in memory that is deleted with its last descriptor, and whose descriptor is closed on exec.
    package static func memory(named name: String) throws(SystemError) -> CInt {
        try checked(lc_open_memory(name), "get memory for \(name)")
    }

    /// Reads until the end of the file, or until the other end is closed.
    package static func readToEnd(_ descriptor: CInt) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }
}
