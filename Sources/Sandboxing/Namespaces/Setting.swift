// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A small text file of the system, most of one line.
struct Setting {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    /// The first line; nil where there is none.
    func read() -> String? {
        lines.first
    }

    /// All lines; none where there is no such file, or not for us.
    var lines: [String] {
        text.split(separator: "\n").map(String.init)
    }

    /// The whole of it; empty where there is no such file, or not for us.
    var text: String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        return String(decoding: Descriptors.readToEnd(descriptor), as: UTF8.self)
    }

    /// Writes the line, in one piece as the kernel wants it.
    func write(_ text: String) throws(SandboxError) {
        let descriptor = try checked(open(path, O_WRONLY | O_CLOEXEC), "open \(path)")
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw SandboxError("write \"\(text)\" to \(path)", code: errno)
        }
    }
}
