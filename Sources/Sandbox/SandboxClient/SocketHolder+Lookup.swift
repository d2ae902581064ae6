// SPDX-License-Identifier: Apache-2.0

package import ClientVerdicts
internal import LinuxSystem

extension SocketHolder {
    /// Looks up where each of these processes stands among those below `supervisor`.
    package static func find(_ processes: [Int32], below supervisor: Int32) -> [Int32: SocketHolder] {
        var holders: [Int32: SocketHolder] = [:]
        for process in processes where holders[process] == nil {
            let mark = ProcessEnvironment.variables(of: process).first { $0.hasPrefix("\(markName)=") }
                .flatMap { Int32($0.dropFirst(markName.utf8.count + 1)) }
            holders[process] = SocketHolder(process, below: ancestors(of: process, below: supervisor), mark: mark)
        }
        return holders
    }

    /// The parent of a process, the parent's parent and so on, without `supervisor` and what is above that.
    package static func ancestors(of process: Int32, below supervisor: Int32) -> [Int32] {
        var ancestors: [Int32] = []
        var next = process
        // A number may be another process's by the time it is looked up: no chain without an end.
        while ancestors.count < deepest, let parent = ProcessStatus(next)?.parent, parent > 1, parent != supervisor {
            ancestors.append(parent)
            next = parent
        }
        return ancestors
    }

    private static let deepest = 64
}
