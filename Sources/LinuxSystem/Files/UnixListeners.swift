// SPDX-License-Identifier: Apache-2.0

/// The abstract names of unix(7) at which processes listen in the network that the calling thread is in.
package enum UnixListeners {
    /// The names that begin with `prefix`, of sockets of any user.
    package static func names(beginningWith prefix: String) throws(SystemError) -> [String] {
        let table = try SmallFile.read("/proc/thread-self/net/unix", followsLinks: true, limit: 64 << 20)
        let wanted = "@" + prefix
        return String(decoding: table, as: UTF8.self).split(separator: "\n").compactMap { line in
            // Num RefCount Protocol Flags Type St Inode Path; the flag __SO_ACCEPTCON.
            let fields = line.split(separator: " ", maxSplits: 7)
            guard fields.count == 8, fields[3] == "00010000", fields[7].hasPrefix(wanted) else { return nil }
            return String(fields[7].dropFirst())
        }
    }
}
