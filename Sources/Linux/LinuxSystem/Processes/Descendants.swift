// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The descendants of this process, which must be a subreaper: it inherits orphans, so each descendant becomes a child
/// in the end.
package struct Descendants {
    /// The file that lists this process's children, proc(5). Opened once, since later there may be no free descriptor.
    /// Negative on a kernel without CONFIG_PROC_CHILDREN.
    private let list: CInt
    /// The control group of the descendants; nil for none.
    private let group: ControlGroup?

    /// Opens the list of children. After a fork, the child needs its own `Descendants`.
    package init(in group: ControlGroup? = nil) {
        self.group = group
        // Searching all of /proc is too slow for processes that fork and exit at once.
        list = open("/proc/self/task/\(getpid())/children", O_RDONLY | O_CLOEXEC)
    }

    package func close() {
        if list >= 0 { Glibc.close(list) }
    }

    package func children() -> [Int32] {
        guard list >= 0 else {
            return DirectoryListing.numbers(in: "/proc").filter { ProcessStatus($0)?.parent == getpid() }
        }
        return Self.numbers(list)
    }

    private static let maximumBytes = 1 << 20

    /// Reads the process IDs in a list from its start.
    private static func numbers(_ list: CInt) -> [Int32] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        // The list may grow as fast as it is read.
        while bytes.count < maximumBytes {
            let count = pread(list, &buffer, buffer.count, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
    }

    /// The time after `grace` at which `end` stops waiting for processes that SIGKILL does not end.
    package static let limit = Duration.seconds(10)

    /// Ends all descendants except `attendants`: sends SIGTERM, and SIGKILL to those that still run after `grace`.
    /// Removes their control group.
    ///
    /// - Returns: the processes that still exist after `limit`, for instance because they are blocked in the kernel, or
    ///   fork faster than this process is scheduled.
    @discardableResult
    package func end(grace: Duration, sparing attendants: Set<Int32> = []) -> [Int32] {
        let clock = ContinuousClock()
        let start = clock.now
        let deadline = start + grace + Self.limit
        // In a storm of forks on a busy machine, this process would not keep up, so it raises its priority, which only
        // root may do.
        let priority = getpriority(CInt(PRIO_PROCESS.rawValue), 0)
        setpriority(CInt(PRIO_PROCESS.rawValue), 0, -20)
        defer { setpriority(CInt(PRIO_PROCESS.rawValue), 0, priority) }
        var asked: Set<Int32> = []
        let shortestNap: UInt32 = 250
        var nap = shortestNap
        var isGroupKilled = false
        defer { group?.remove() }
        while Self.reap() {
            let isOver = clock.now - start >= grace
            if isOver, !isGroupKilled {
                group?.kill()
                isGroupKilled = true
            }
            let present = children().filter { !attendants.contains($0) }
            if !attendants.isEmpty, present.isEmpty { return [] }
            // Signal only children: a process that another parent reaps may already have passed its ID on. For the same
            // reason, the kernel must not reap children (SIGCHLD ignored).
            for process in present {
                let isNew = asked.insert(process).inserted
                // New processes must be found before they fork and end.
                if isNew { nap = shortestNap }
                guard isNew || isOver else { continue }
                kill(process, isOver ? SIGKILL : SIGTERM)
                // A stopped process handles SIGTERM only after it continues.
                if !isOver { kill(process, SIGCONT) }
            }
            guard clock.now < deadline else {
                return children().filter { !attendants.contains($0) && ProcessStatus($0)?.hasEnded == false }
            }
            // Pause, then look again: this process inherits the children of ended processes.
            usleep(nap)
            nap = min(nap * 2, 20000)
        }
        return []
    }

    /// Reaps ended children, for a second at most, since others may end as fast. Returns false if no child is left.
    private static func reap() -> Bool {
        let deadline = ContinuousClock.now + .seconds(1)
        repeat {
            for _ in 0..<ChildStatus.maximum {
                let process = waitpid(-1, nil, WNOHANG)
                if process == 0 { return true }
                if process < 0, errno != EINTR { return false }
            }
        } while ContinuousClock.now < deadline
        return true
    }
}

/// The processes below this one.
package enum ProcessTree {
    /// The maximum number of processes listed.
    private static let maximum = 4096

    /// The descendants of a process, depth first; all processes on a kernel without CONFIG_PROC_CHILDREN.
    package static func descendants(of root: Int32 = getpid()) -> [Int32] {
        guard access("/proc/self/task/\(getpid())/children", R_OK) == 0 else {
            return DirectoryListing.numbers(in: "/proc")
        }
        var found: [Int32] = []
        var next = [root]
        while let process = next.popLast(), found.count < maximum {
            for thread in DirectoryListing.numbers(in: "/proc/\(process)/task") {
                let children = ProcFile("/proc/\(process)/task/\(thread)/children").text
                next += children.split(separator: " ").compactMap { Int32($0) }
            }
            if process != root { found.append(process) }
        }
        return found
    }
}
