// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc

/// Signals that end a long-running command in good order, and news that wake it.
struct Interruption: Sendable {
    private static let ending = [SIGINT, SIGTERM, SIGHUP]
    private let signals: CInt
    private let news: (read: CInt, write: CInt)

    /// Holds the signals back, in this thread and all that it starts from now on, to be waited for.
    init() throws(Failure) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in Self.ending { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signals = signalfd(-1, &set, Self.flags)
        var ends: [CInt] = [-1, -1]
        let result = pipe(&ends)
        guard signals >= 0, result == 0 else {
            throw Failure(.internalError, "cannot wait for signals: \(String(cString: strerror(errno)))")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        news = (ends[0], ends[1])
    }

    // SFD_CLOEXEC and SFD_NONBLOCK of signalfd(2) are these, and do not import.
    private static let flags = O_CLOEXEC | O_NONBLOCK

    /// Wakes whoever waits; from any thread.
    func wake() {
        var byte: UInt8 = 1
        _ = Glibc.write(news.write, &byte, 1)
    }

    /// Waits for at most `limit`, or until there is something to do; says whether somebody wants the command to end.
    func wait(_ limit: Duration) -> Bool {
        var polled = [signals, news.read].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let milliseconds = (max(limit, .zero) / .milliseconds(1)).rounded(.up)
        guard poll(&polled, nfds_t(polled.count), CInt(min(milliseconds, 60_000))) > 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 4096)
        if polled[1].revents != 0 { _ = read(news.read, &buffer, buffer.count) }
        return polled[0].revents != 0
    }
}
