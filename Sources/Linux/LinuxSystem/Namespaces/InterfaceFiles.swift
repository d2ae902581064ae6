// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// The network interfaces as /sys shows them. A sysfs shows those of the network namespace that it was mounted from,
/// and not those of the process that reads it: sysfs(5).
package enum InterfaceFiles {
    /// The parts of /sys that differ between network namespaces.
    private static let parts = ["class/net", "devices/virtual/net"]

    /// Makes /sys show the interfaces of the caller's network namespace, in its mount namespace, which must be its own.
    ///
    /// - Parameter staging: an empty directory.
    /// - Returns: whether it does; some containers forbid to mount sysfs.
    @discardableResult
    package static func show(staging: String) -> Bool {
        guard mount("sysfs", staging, "sysfs", UInt(MS_RDONLY), nil) == 0 else { return false }
        defer { umount2(staging, CInt(MNT_DETACH)) }
        return parts.count { mount("\(staging)/\($0)", "/sys/\($0)", nil, UInt(MS_BIND), nil) == 0 } == parts.count
    }

    /// Shows the interfaces in a new mount namespace for this process, which must have a single thread.
    package static func showInOwnMounts() -> Bool {
        lc_unshare(CInt(lc_mount_namespace)) == 0 && keepMounts() && show(staging: emptyDirectory)
    }

    /// A directory that procfs keeps empty as a mount point (fs/proc/root.c), so that nothing has to be made or removed.
    package static let emptyDirectory = "/proc/fs/nfsd"

    /// Keeps what is mounted and unmounted in this process's new mount namespace from the namespace that it is a copy
    /// of, whose later mounts still appear here (slaves: mount_namespaces(7)). Sets errno on failure.
    package static func keepMounts() -> Bool { mount(nil, "/", nil, UInt(MS_REC | MS_SLAVE), nil) == 0 }
}
