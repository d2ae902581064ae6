// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What proc(5) tells of another process's beginnings.
public enum ProcessEnvironment {
    /// The variables that a process was started with, as "NAME=value"; none where that is not ours to know.
    public static func variables(of process: Int32) -> [String] {
        let descriptor = open("/proc/\(process)/environ", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        return Descriptors.readToEnd(descriptor).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The process's parent; nil where there is no such process.
    public static func parent(of process: Int32) -> Int32? {
        ProcessFacts(process)?.parent
    }
}
