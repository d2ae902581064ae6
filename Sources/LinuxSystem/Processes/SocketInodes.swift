// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The sockets that a process has open: the links of /proc/PID/fd, proc(5).
package enum SocketInodes {
    /// The inodes, as /proc/net/tcp and its like print them; none if this process may not look.
    ///
    /// - Parameter root: the directory that holds `proc`.
    package static func held(by process: Int32, under root: String = "") -> [String] {
        let directory = "\(root)/proc/\(process)/fd"
        return DirectoryListing.names(in: directory).compactMap { name in
            var buffer = [CChar](repeating: 0, count: 64)
            let count = readlink("\(directory)/\(name)", &buffer, buffer.count)
            guard count > 0 else { return nil }
            let text = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("socket:["), text.hasSuffix("]") else { return nil }
            return String(text.dropFirst("socket:[".count).dropLast())
        }
    }
}
