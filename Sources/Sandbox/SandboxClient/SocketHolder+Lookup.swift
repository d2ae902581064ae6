// SPDX-License-Identifier: Apache-2.0

package import ClientVerdicts
internal import LinuxSystem

extension SocketHolder {
    /// Looks up the ancestors of each of these processes, up to `supervisor`, and the mark in its environment.
    package static func find(_ processes: [Int32], below supervisor: Int32) -> [Int32: SocketHolder] {
        var holders: [Int32: SocketHolder] = [:]
        for process in processes where holders[process] == nil {
            let mark = ProcessEnvironment.variables(of: process).first { $0.hasPrefix("\(markName)=") }
                .flatMap { Int32($0.dropFirst(markName.utf8.count + 1)) }
            holders[process] = SocketHolder(process, below: ancestors(of: process, below: supervisor), mark: mark)
        }
        return holders
    }

    /// The parent of a process, the parent's parent and so on, up to `supervisor`, which is left out.
    package static func ancestors(of process: Int32, below supervisor: Int32) -> [Int32] {
        var ancestors: [Int32] = []
        var next = process
        // A process number may be reused during the look-up, and could make a cycle: the depth is limited.
        while ancestors.count < deepest, let parent = ProcessStatus(next)?.parent, parent > 1, parent != supervisor {
            ancestors.append(parent)
            next = parent
        }
        return ancestors
    }

    private static let deepest = 64
}
