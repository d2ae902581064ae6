// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The processes below this one. It inherits the orphans among them, so each shows up as a child in the end.
package enum Descendants {
    /// The children of this process, by proc(5).
    package static func children() -> [Int32] {
        // A walk through all processes takes so long that some which fork and end at once are always ahead of it.
        // Orphans come to the first thread, as long as there is one.
        let descriptor = open("/proc/self/task/\(getpid())/children", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return childrenByWalk() }
        defer { close(descriptor) }
        return String(decoding: Descriptors.readToEnd(descriptor), as: UTF8.self).split(separator: " ")
            .compactMap { Int32($0) }
    }

    /// The same for a kernel without CONFIG_PROC_CHILDREN.
    private static func childrenByWalk() -> [Int32] {
        DirectoryListing.numbers(in: "/proc").filter { ProcessStatus($0)?.parent == getpid() }
    }

    /// Ends all processes below this one but `attendant`: asks them to (SIGTERM), and kills those that have not after
    /// `grace`.
    ///
    /// - Returns: false if some were still there when `limit` had passed, as one stuck in the kernel may be.
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
                // Where there are ever new ones, they have to be caught before they end.
                if isNew { nap = shortestNap }
                guard isNew || isOver else { continue }
                kill(process, isOver ? SIGKILL : SIGTERM)
                // A stopped process acts on a request only once it goes on.
                if !isOver { kill(process, SIGCONT) }
            }
            guard clock.now - start < grace + limit else { return false }
            // Those that end leave their own children to us.
            usleep(nap)
            nap = min(nap * 2, 20000)
        }
        return true
    }

    /// Takes note of the children that have ended; false where no child is left.
    private static func reap() -> Bool {
        while true {
            let process = waitpid(-1, nil, WNOHANG)
            if process == 0 { return true }
            if process < 0, errno != EINTR { return false }
        }
    }
}
