// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A small text file of the system: an entry of /proc or /sys, or a configuration file. Most have one line.
package struct ProcFile: Sendable {
    package let path: String

    package init(_ path: String) {
        self.path = path
    }

    /// The first line; nil if the file does not exist, cannot be read or is empty.
    package var firstLine: String? { lines.first }

    /// All lines that are not empty; none if the file does not exist or cannot be read.
    package var lines: [String] {
        text.split(separator: "\n").map(String.init)
    }

    /// The content; empty if the file does not exist or cannot be read.
    package var text: String {
        (try? SmallFile.read(path, followsLinks: true)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Writes `text` with one write(2), as the kernel requires of its settings.
    package func write(_ text: String) throws(SystemError) {
        let descriptor = try checked(open(path, O_WRONLY | O_CLOEXEC), "open \(path)")
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw SystemError(operation: "write \"\(text)\" to \(path)", code: errno)
        }
    }
}
