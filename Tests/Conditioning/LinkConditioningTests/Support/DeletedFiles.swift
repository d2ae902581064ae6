// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// The files that are deleted from a directory, which includes files that another has not replaced at once.
final class DeletedFiles {
    private let events = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))

    init(from directory: String) throws(SystemError) {
        guard inotify_add_watch(events, directory, UInt32(IN_DELETE)) >= 0 else {
            throw SystemError(operation: "watch \(directory)", code: errno)
        }
    }

    deinit { close(events) }

    /// The names of those since the last call.
    func names() -> [String] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { read(events, $0.baseAddress, $0.count) }
        var names: [String] = []
        var offset = 0
        // struct inotify_event, of 16 bytes, ends with the length of the name that follows, padded with zeros.
        while offset + 16 <= count {
            let length = buffer.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self)) }
            let name = buffer[(offset + 16)..<(offset + 16 + length)].prefix { $0 != 0 }
            names.append(String(decoding: name, as: UTF8.self))
            offset += 16 + length
        }
        return names
    }
}
