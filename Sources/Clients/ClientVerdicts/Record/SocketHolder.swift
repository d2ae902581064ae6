// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A process that held a socket, and where it stood among the processes of the run.
package struct SocketHolder: Hashable, Sendable {
    package var process: Int32
    /// The process's parent, the parent's parent and so on, up to the supervisor of the run, which is left out. None
    /// for the command, and for a process whose parent has ended.
    package var ancestors: [Int32]
    /// The process that has marked the environment of those that it starts as its own: ``markName``; nil if none has.
    package var mark: Int32?

    /// The variable by which a process marks those that it starts: a daemon has it when its parent has ended.
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
