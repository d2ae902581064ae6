// SPDX-License-Identifier: Apache-2.0

/// The connections of the calling thread's network that some process holds.
package enum OpenSockets {
    /// A socket: its ends, such as "192.0.2.1:80", and the process that holds it, such as "curl (1234)", if that is known.
    package struct Socket: Sendable {
        package var local: String
        package var remote: String
        package var owner: String?
    }

    /// The sockets now; none if the kernel does not tell.
    package static func current() -> [Socket] {
        let states: Set<SocketTable.State> = [.established, .synSent, .closeWait]
        let open = (SocketTable.entries(in: states) ?? []).filter { $0.inode != 0 }
        let owners = open.isEmpty ? [:] : SocketOwners.find(Set(open.map(\.inode)))
        return open.map { Socket(local: $0.local.text, remote: $0.remote.text, owner: owners[$0.inode]) }
    }
}
