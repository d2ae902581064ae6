// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// Detects changes of this machine's resolv.conf(5) by regular looks: the file, a link to it or one of its directories
/// may be replaced.
struct NameServerWatch {
    private static let path = "/etc/resolv.conf"
    private static let interval = Duration.seconds(2)

    private var state = Self.current
    /// The time of the next look.
    private(set) var due = BootClock.now + interval

    /// Returns the file's text if a look is due and the file has changed; nil if it is missing, as while it is
    /// replaced.
    mutating func change() -> String? {
        guard due <= BootClock.now else { return nil }
        due = BootClock.now + Self.interval
        guard let now = Self.current, now != state else { return nil }
        state = now
        return ProcFile(Self.path).lines.joined(separator: "\n")
    }

    private struct State: Equatable {
        var file: UInt
        var size: Int
        var seconds: Int
        var nanoseconds: Int
    }

    private static var current: State? {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        return State(
            file: facts.st_ino,
            size: facts.st_size,
            seconds: facts.st_mtim.tv_sec,
            nanoseconds: facts.st_mtim.tv_nsec
        )
    }
}
