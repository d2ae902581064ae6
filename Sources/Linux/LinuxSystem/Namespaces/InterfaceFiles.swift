// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// The network interfaces in /sys. A sysfs shows the interfaces of the network namespace from which it was mounted, not
/// of the reading process's: sysfs(5).
package enum InterfaceFiles {
    /// The parts of /sys that differ between network namespaces.
    private static let parts = ["class/net", "devices/virtual/net"]

    /// Makes /sys show the interfaces of the caller's network namespace. Changes the caller's mount namespace, which no
    /// other process should share.
    ///
    /// - Parameter staging: an empty directory.
    /// - Returns: whether that succeeded; some containers forbid mounting sysfs.
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

    /// A directory that procfs keeps empty as a mount point (fs/proc/root.c), so that none has to be created or
    /// removed.
    package static let emptyDirectory = "/proc/fs/nfsd"

    /// Stops mounts in this process's new mount namespace from propagating to the original namespace, whose later
    /// mounts still appear here (slaves: mount_namespaces(7)). Sets errno on failure.
    package static func keepMounts() -> Bool {
        if mount(nil, "/", nil, UInt(MS_REC | MS_SLAVE), nil) == 0 { return true }
        // In a chroot whose directory is no mount point, "/" cannot be changed.
        return errno == EINVAL && keepMountsAround()
    }

    /// Does the same from the namespace's own root, outside of the chroot, and returns into the chroot.
    ///
    /// Entering a mount namespace, even one's own, sets the root and the working directory to its root: setns(2).
    private static func keepMountsAround() -> Bool {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let (root, directory) = (open("/", flags), open(".", flags))
        defer { for descriptor in [root, directory] where descriptor >= 0 { close(descriptor) } }
        guard root >= 0, directory >= 0 else { return false }
        let code = lc_enter_mount_namespace("/proc/self/ns/mnt")
        guard code == 0 else {
            errno = -code
            return false
        }
        let isKept = mount(nil, "/", nil, UInt(MS_REC | MS_SLAVE), nil) == 0
        let problem = errno
        guard fchdir(root) == 0, chroot(".") == 0, fchdir(directory) == 0 else {
            // Outside of the chroot, the process must do nothing more.
            fatalError("cannot return into the chroot: \(String(cString: strerror(errno)))")
        }
        errno = problem
        return isKept
    }
}
