// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The status of a process: /proc/PID/stat, proc(5).
package struct ProcessStatus: Sendable {
    /// The state letter: "R", "S", "T" and so on.
    package let state: Character
    package let parent: Int32
    /// The time at which the process started, in clock ticks since the machine started.
    package let startTime: UInt64
    /// The minor page faults of ended children that the process has reaped. It rises with each child, since each has
    /// some.
    package let childFaults: UInt64

    /// Reads the status of `process`; nil if there is no such process.
    package init?(_ process: Int32) {
        guard let bytes = try? SmallFile.read("/proc/\(process)/stat") else { return nil }
        // The process name before the state is in parentheses and may contain any character.
        guard let parenthesis = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = String(decoding: bytes[(parenthesis + 1)...], as: UTF8.self).split { $0 == " " || $0 == "\n" }
        // Indexed from the state, field 3 of the manual page: the parent is field 4, the children's faults field 11,
        // the start time field 22.
        guard fields.count > 19, let state = fields[0].first, let parent = Int32(fields[1]),
            let childFaults = UInt64(fields[8]), let startTime = UInt64(fields[19])
        else { return nil }
        self.state = state
        self.parent = parent
        self.startTime = startTime
        self.childFaults = childFaults
    }

    /// The process's name and ID for messages: "curl (1234)".
    package static func words(_ process: Int32) -> String {
        "\(ProcFile("/proc/\(process)/comm").firstLine ?? "process") (\(process))"
    }

    package var isStopped: Bool { state == "T" }
    /// Whether the process is stopped by a debugger, or by a signal while it is traced.
    package var isTraced: Bool { state == "t" }
    /// Whether the process has ended and only waits to be reaped.
    package var hasEnded: Bool { state == "Z" || state == "X" }
}

/// The environment of another process: /proc/PID/environ, proc(5).
package enum ProcessEnvironment {
    /// The variables that a process was started with, as "NAME=value"; none if this process may not read them.
    package static func variables(of process: Int32) -> [String] {
        let bytes = (try? SmallFile.read("/proc/\(process)/environ")) ?? []
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }
}
