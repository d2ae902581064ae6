// SPDX-License-Identifier: Apache-2.0

/// The abstract names of unix(7) at which processes listen in the network that the calling thread is in.
package enum UnixListeners {
    /// The names that begin with `prefix`, of sockets of any user.
    package static func names(beginningWith prefix: String) throws(SystemError) -> [String] {
        let table = try SmallFile.read("/proc/thread-self/net/unix", followsLinks: true, limit: 64 << 20)
        let wanted = "@" + prefix
        return String(decoding: table, as: UTF8.self).split(separator: "\n").compactMap { line in
            // Num RefCount Protocol Flags Type St Inode Path; the flag __SO_ACCEPTCON.
            guard let start = line.utf8.firstIndex(of: UInt8(ascii: "@")), line[start...].hasPrefix(wanted) else {
                return nil
            }
            let fields = line[..<start].split(separator: " ")
            guard fields.count == 7, fields[3] == "00010000" else { return nil }
            return String(line[start...].dropFirst())
        }
    }
}
