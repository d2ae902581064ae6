// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A process that held a socket, and where it stood among the processes of the run.
package struct SocketHolder: Hashable, Sendable {
    package var process: Int32
    /// Its parent, the parent's parent and so on, without the supervisor of the run and what is above that. None for the
    /// command, and for a process whose parent has ended.
    package var ancestors: [Int32]
    /// The process that has marked the environment of those that it starts as its own: ``markName``; nil if none has.
    package var mark: Int32?

    /// The variable by which a process marks those that it starts: a daemon has it when its parent has ended.
    package static let markName = "LINKCOND_WORKER"

    package init(_ process: Int32, below ancestors: [Int32], mark: Int32? = nil) {
        (self.process, self.ancestors, self.mark) = (process, ancestors, mark)
    }
}

extension SocketHolder: JSONConvertible {
    package var json: JSON {
        JSON(
            ("process", .number(process)),
            ("ancestors", ancestors.json),
            ("mark", .number(mark))
        )
    }

    package init?(json: JSON) {
        guard let process: Int32 = json.required("process"), let ancestors: [Int32] = json.required("ancestors"),
            let mark: Int32? = json.optional("mark")
        else { return nil }
        self.init(process, below: ancestors, mark: mark)
    }
}
