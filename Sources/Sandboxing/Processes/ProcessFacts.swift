// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What proc(5) tells of a process.
struct ProcessFacts {
    /// Its parent.
    let parent: pid_t
    /// Whether a signal has stopped it.
    let isStopped: Bool

    /// Looks at a process; nil where there is none.
    init?(_ process: pid_t) {
        guard let file = fopen("/proc/\(process)/stat", "re") else { return nil }
        defer { fclose(file) }
        var line = [UInt8](repeating: 0, count: 512)
        let count = fread(&line, 1, line.count, file)
        // State and parent follow the name, which is in brackets and may hold anything.
        guard let bracket = line[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = line[(bracket + 1)..<count].split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let parent = pid_t(String(decoding: fields[1], as: UTF8.self)) else { return nil }
        self.parent = parent
        isStopped = fields[0].first == UInt8(ascii: "T")
    }
}
