// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The processes below this one.
package enum ProcessTree {
    /// No more are listed.
    private static let most = 4096

    /// The descendants of this process, those of each before the next; all processes on a kernel without
    /// CONFIG_PROC_CHILDREN.
    package static func descendants() -> [Int32] {
        guard access("/proc/self/task/\(getpid())/children", R_OK) == 0 else {
            return DirectoryListing.numbers(in: "/proc")
        }
        var found: [Int32] = []
        var next = [getpid()]
        while let process = next.popLast(), found.count < most {
            for thread in DirectoryListing.numbers(in: "/proc/\(process)/task") {
                let children = ProcFile("/proc/\(process)/task/\(thread)/children").text
                next += children.split(separator: " ").compactMap { Int32($0) }
            }
            if process != getpid() { found.append(process) }
        }
        return found
    }
}
