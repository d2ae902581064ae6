// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The sockets that a process has open: the links of /proc/PID/fd, proc(5).
package enum SocketInodes {
    /// The inodes of a process's sockets, in the format of /proc/net/tcp; empty if this process may not read them.
    ///
    /// - Parameter root: the directory that holds `proc`.
    package static func held(by process: Int32, under root: String = "") -> [String] {
        links(of: process, under: root).compactMap { inode(in: $0[...], kind: "socket") }
    }

    /// The targets of the descriptors of a process, as "socket:[20417]" or "/dev/null".
    static func links(of process: Int32, under root: String = "") -> [String] {
        let directory = "\(root)/proc/\(process)/fd"
        return DirectoryListing.names(in: directory).compactMap { name in
            var buffer = [CChar](repeating: 0, count: 64)
            let count = readlink("\(directory)/\(name)", &buffer, buffer.count)
            return count > 0 ? String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
        }
    }

    /// The inode in the name of a kernel object such as "net:[4026531840]"; nil for an object of another kind.
    static func inode(in name: Substring, kind: String) -> String? {
        guard name.hasPrefix("\(kind):["), name.hasSuffix("]") else { return nil }
        return String(name.dropFirst(kind.utf8.count + 2).dropLast())
    }
}
