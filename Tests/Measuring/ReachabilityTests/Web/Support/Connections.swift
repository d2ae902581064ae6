// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What this process, and the kernel on its behalf, has in connections.
enum Connections {
    struct Count: Equatable {
        /// Open descriptors.
        var descriptors: Int
        /// Ports that are kept after the end (TIME_WAIT).
        var waiting: Int
    }

    /// Counts the IPv4 connections to these ports, by /proc/net/tcp and /proc/self/fd.
    static func count(to ports: [UInt16]) throws -> Count {
        let own = try Set(
            FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
        )
        var count = Count(descriptors: 0, waiting: 0)
        for line in try String.reading("/proc/net/tcp").split(separator: "\n").dropFirst() {
            let columns = line.split(separator: " ")
            let port = try #require(columns[2].split(separator: ":").last.flatMap { UInt16($0, radix: 16) })
            guard ports.contains(port) else { continue }
            if own.contains("socket:[\(columns[9])]") { count.descriptors += 1 }
            if columns[3] == "06" { count.waiting += 1 }
        }
        return count
    }

    /// The calling thread, as a folder of /proc.
    static var thread: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
    }
}

extension String {
    /// The text of a file, also of one that does not know its size.
    static func reading(_ path: String) throws -> String {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }

    func write(to path: String) throws {
        try Data(utf8).write(to: URL(fileURLWithPath: path))
    }
}
