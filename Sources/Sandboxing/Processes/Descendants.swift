// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The processes below this one. It inherits the orphans among them, so each shows up as a child in the end.
enum Descendants {
    /// The children of this process, by proc(5).
    static func children() -> [pid_t] {
        guard let directory = opendir("/proc") else { return [] }
        defer { closedir(directory) }
        let parent = getpid()
        var children: [pid_t] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let process = pid_t(name), Self.parent(of: process) == parent else { continue }
            children.append(process)
        }
        return children
    }

    /// Ends all processes below this one: asks them to (SIGTERM), and kills those that have not after `grace`.
    ///
    /// - Returns: false if some were still there when `limit` had passed, as one stuck in the kernel may be.
    @discardableResult
    static func end(grace: Duration, limit: Duration = .seconds(5)) -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        var asked: Set<pid_t> = []
        var nap: UInt32 = 250
        while reap() {
            let isOver = clock.now - start >= grace
            for process in children() where isOver || asked.insert(process).inserted {
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

    /// The parent's number, which follows name and state in /proc/PID/stat. The name, in brackets, may hold anything.
    private static func parent(of process: pid_t) -> pid_t? {
        guard let file = fopen("/proc/\(process)/stat", "re") else { return nil }
        defer { fclose(file) }
        var line = [UInt8](repeating: 0, count: 512)
        let count = fread(&line, 1, line.count, file)
        guard let bracket = line[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = line[(bracket + 1)..<count].split(separator: UInt8(ascii: " "))
        return fields.count > 1 ? pid_t(String(decoding: fields[1], as: UTF8.self)) : nil
    }
}
