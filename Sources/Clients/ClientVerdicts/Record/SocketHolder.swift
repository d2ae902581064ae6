// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A process that held a socket, and its ancestors among the processes of the run.
package struct SocketHolder: Hashable, Sendable {
    package var process: Int32
    /// The process's parent, the parent's parent and so on, up to the run's supervisor, which is not included. Empty
    /// for the command, and for a process whose parent has ended.
    package var ancestors: [Int32]
    /// The process named in the holder's environment variable ``markName``, which an ancestor has set; nil without one.
    package var mark: Int32?

    /// The environment variable by which a process marks its descendants: a daemon still has it after its parent has
    /// ended.
    package static let markName = "LINKCOND_WORKER"

    package init(_ process: Int32, below ancestors: [Int32], mark: Int32? = nil) {
        (self.process, self.ancestors, self.mark) = (process, ancestors, mark)
    }
}

extension SocketHolder: JSONObject {
    package static let blank = SocketHolder(0, below: [])

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("process", &process)
        members.required("ancestors", &ancestors)
        members.optional("mark", &mark)
    }
}
