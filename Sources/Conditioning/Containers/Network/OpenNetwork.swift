// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// The open network namespace of a process. As long as it is open, its inode is no other namespace's.
final class OpenNetwork: Sendable {
    let descriptor: CInt
    let identity: FileIdentity

    /// Opens that of a process; nil if it has ended.
    init?(of process: Int32, in container: String) throws(ContainerError) {
        descriptor = open("/proc/\(process)/ns/net", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 || ![EACCES, EPERM].contains(errno) else {
            throw ContainerError(
                .notPermitted,
                "the network of container \(container) is another user's",
                remedy: "run it as root"
            )
        }
        guard let identity = FileIdentity(descriptor: descriptor) else { return nil }
        self.identity = identity
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
