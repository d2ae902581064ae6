// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// The open network namespace of a process. While it is open, the kernel does not reuse its inode.
final class OpenNetwork: Sendable {
    let descriptor: CInt
    let identity: FileIdentity

    /// Opens the namespace of a process; nil if the process has ended.
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
