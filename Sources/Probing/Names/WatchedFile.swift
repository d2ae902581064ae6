// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import Synchronization

/// A small file that is read anew when it has changed.
final class WatchedFile<Value: Sendable>: Sendable {
    private struct Reading {
        var stamp: [Int64]?
        var value: Value
    }

    private let path: String
    private let parse: @Sendable (String) -> Value
    private let reading: Mutex<Reading>

    /// Makes a watch; a file that is not there is read as if it were empty.
    init(_ path: String, _ parse: @escaping @Sendable (String) -> Value) {
        self.path = path
        self.parse = parse
        reading = Mutex(Reading(stamp: nil, value: parse("")))
    }

    /// What the file says now.
    var value: Value {
        reading.withLock { reading in
            var found = lc_file_stamp()
            let stamp: [Int64] =
                lc_stamp_file(path, &found) == 0
                ? [Int64(bitPattern: found.device), Int64(bitPattern: found.inode), found.size, found.nanoseconds] : []
            if stamp != reading.stamp { reading = Reading(stamp: stamp, value: parse(text())) }
            return reading.value
        }
    }

    private func text() -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer.prefix(count) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
