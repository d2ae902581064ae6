// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The environment of another process: /proc/PID/environ, proc(5).
package enum ProcessEnvironment {
    /// The variables that a process was started with, as "NAME=value"; none if this process may not read them.
    package static func variables(of process: Int32) -> [String] {
        let bytes = (try? SmallFile.read("/proc/\(process)/environ")) ?? []
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }
}
