// SPDX-License-Identifier: Apache-2.0

package import ClientObservation

/// The connections of the calling thread's network that some process holds.
package enum OpenSockets {
    /// The sockets now; none if the kernel does not tell.
    package static func current() -> [RunRecord.OpenSocket] {
        let states: Set<SocketTable.State> = [.established, .synSent, .closeWait]
        let open = (SocketTable.entries(in: states) ?? []).filter { $0.inode != 0 }
        let owners = open.isEmpty ? [:] : SocketOwners.find(Set(open.map(\.inode)))
        return open.compactMap { entry in
            entry.ends.map { RunRecord.OpenSocket($0, owner: owners[entry.inode]) }
        }
    }
}
