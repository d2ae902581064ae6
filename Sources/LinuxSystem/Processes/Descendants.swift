// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The descendants of this process. It inherits the orphans among them, so each becomes a child in the end.
package enum Descendants {
    /// The children of this process, by proc(5).
    package static func children() -> [Int32] {
        // A walk through all processes is too slow for processes that fork and exit at once.
        // The kernel gives orphans to the first thread while it exists.
        let descriptor = open("/proc/self/task/\(getpid())/children", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return childrenByWalk() }
        defer { close(descriptor) }
        return String(decoding: Descriptors.readToEnd(descriptor), as: UTF8.self).split(separator: " ")
            .compactMap { Int32($0) }
    }

    /// The children on a kernel without CONFIG_PROC_CHILDREN.
    private static func childrenByWalk() -> [Int32] {
        DirectoryListing.numbers(in: "/proc").filter { ProcessStatus($0)?.parent == getpid() }
    }

    /// Ends all descendants except `attendant`: sends SIGTERM, and SIGKILL to those that run after `grace`.
    ///
    /// - Returns: false if some still exist after `limit`, for instance one blocked in the kernel.
    @discardableResult
    package static func end(grace: Duration, limit: Duration = .seconds(5), sparing attendant: Int32? = nil) -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        var asked: Set<Int32> = []
        let shortestNap: UInt32 = 250
        var nap = shortestNap
        while reap() {
            let isOver = clock.now - start >= grace
            let present = children().filter { $0 != attendant }
            if attendant != nil, present.isEmpty { return true }
            for process in present {
                let isNew = asked.insert(process).inserted
                // New processes must be found before they fork and end.
                if isNew { nap = shortestNap }
                guard isNew || isOver else { continue }
                kill(process, isOver ? SIGKILL : SIGTERM)
                // A stopped process handles SIGTERM only after it continues.
                if !isOver { kill(process, SIGCONT) }
            }
            guard clock.now - start < grace + limit else { return false }
            // This process inherits the children of those that end.
            usleep(nap)
            nap = min(nap * 2, 20000)
        }
        return true
    }

    /// Reaps the children that have ended; false if no child is left.
    private static func reap() -> Bool {
        while true {
            let process = waitpid(-1, nil, WNOHANG)
            if process == 0 { return true }
            if process < 0, errno != EINTR { return false }
        }
    }
}
