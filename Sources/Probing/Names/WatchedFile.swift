// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import LinuxSystem
import Synchronization

/// A configuration file that is read again when it has changed.
final class WatchedFile<Value: Sendable>: Sendable {
    private struct Reading {
        var stamp: [Int64]?
        var value: Value
    }

    private let path: String
    private let parse: @Sendable (String) -> Value
    private let reading: Mutex<Reading>

    /// Watches the file at `path`; a missing file counts as empty.
    init(_ path: String, _ parse: @escaping @Sendable (String) -> Value) {
        self.path = path
        self.parse = parse
        reading = Mutex(Reading(stamp: nil, value: parse("")))
    }

    /// The parsed content.
    var value: Value {
        reading.withLock { reading in
            var found = lc_file_stamp()
            let stamp: [Int64] =
                lc_stamp_file(path, &found) == 0
                ? [Int64(bitPattern: found.device), Int64(bitPattern: found.inode), found.size, found.nanoseconds] : []
            if stamp != reading.stamp { reading = Reading(stamp: stamp, value: parse(text)) }
            return reading.value
        }
    }

    /// A list of blocked hosts in hosts(5) may have several megabytes.
    private var text: String {
        (try? SmallFile.read(path, followsLinks: true, limit: .max)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
