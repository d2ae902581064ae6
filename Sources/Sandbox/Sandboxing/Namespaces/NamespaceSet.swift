// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkConditioning
internal import LinuxSystem

/// The namespaces of one sandbox: network and mounts, and for ordinary users a user namespace, which permits the other
/// two.
struct NamespaceSet {
    /// Whether there is a user namespace, which maps only the caller's user and group.
    let hasUser: Bool
    /// Whether the network's settings were read-only outside, as in most containers.
    let hasReadOnlySettings: Bool

    /// Moves this process into new namespaces.
    static func enter() throws(SandboxError) -> NamespaceSet {
        let (user, group) = (geteuid(), getegid())
        let kinds = CInt(lc_network_namespace | lc_mount_namespace)
        // Root needs no user namespace, and could not use su or chown in one; but a container's root may need it.
        var result = user == 0 ? lc_unshare(kinds) : -EPERM
        let needsUser = result == -EPERM
        if needsUser { result = lc_unshare(kinds | CInt(lc_user_namespace)) }
        guard result == 0 else {
            throw SandboxError("make the namespaces of a sandbox", code: -result, remedy: remedy(user))
        }
        if needsUser {
            // A group can be mapped only after setgroups(2) is disabled: user_namespaces(7).
            do {
                try ProcFile("/proc/self/setgroups").write("deny")
                try ProcFile("/proc/self/uid_map").write("\(user) \(user) 1")
                try ProcFile("/proc/self/gid_map").write("\(group) \(group) 1")
            } catch {
                // AppArmor can allow user namespaces but deny all capabilities in them.
                throw SandboxError("\(error)\nso this user cannot make a sandbox's namespaces", remedy: remedy(user))
            }
        }
        guard InterfaceFiles.keepMounts() else {
            throw SandboxError("make the sandbox's mounts private", code: errno, remedy: remedy(user))
        }
        let hasReadOnlySettings = try openSettings()
        makeOwnSocketTable()
        return NamespaceSet(hasUser: needsUser, hasReadOnlySettings: hasReadOnlySettings)
    }

    /// The number of buckets in a sandbox's table of TCP sockets: enough for its 16,384 ephemeral ports.
    private static let buckets = 4096

    /// Gives the sandbox a table of TCP sockets of its own, if the kernel can (6.1 and later).
    ///
    /// By default, a network uses the machine's table, and to list a network's sockets, the kernel walks the whole
    /// table: 11 ms for 262,144 buckets, 0.4 ms for 4,096. The setting applies to networks that this network makes
    /// (ip-sysctl.rst, tcp_child_ehash_entries), so the process moves on to one more network, and the one between ends
    /// at once.
    private static func makeOwnSocketTable() {
        guard (try? ProcFile("/proc/sys/net/ipv4/tcp_child_ehash_entries").write("\(buckets)")) != nil else { return }
        _ = lc_unshare(CInt(lc_network_namespace))
    }

    /// The directory of the kernel's settings, which include the network's.
    private static let settings = "/proc/sys"
    private static let remount = UInt(MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NODEV | MS_NOEXEC)

    /// Makes the network's settings writable if a container has mounted them read-only; false if they were writable.
    private static func openSettings() throws(SandboxError) -> Bool {
        var facts = statvfs()
        guard statvfs(settings, &facts) == 0, facts.f_flag & UInt(ST_RDONLY) != 0 else { return false }
        guard mount(nil, settings, nil, remount, nil) == 0 else {
            throw SandboxError(
                "\(settings) is read-only here: \(String(cString: strerror(errno)))",
                remedy: "docker run --privileged, or --security-opt systempaths=unconfined --cap-add SYS_ADMIN"
            )
        }
        return true
    }

    /// Makes the settings read-only again for the calling process alone.
    static func closeSettings() throws(SandboxError) {
        try checked(lc_unshare(CInt(lc_mount_namespace)), "make a mount namespace for the command")
        let flags = remount | UInt(MS_RDONLY)
        try checked(mount(nil, settings, nil, flags, nil), "make \(settings) read-only for the command")
    }

    /// The command that lets ordinary users make namespaces; nil if no setting forbids it.
    static var permission: Remedy? {
        for (path, forbidding, command) in [
            ("/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"),
            (
                "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
                "sysctl kernel.apparmor_restrict_unprivileged_userns=0"
            ),
            ("/proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"),
        ] where ProcFile(path).firstLine == forbidding {
            return "sudo \(command)"
        }
        return nil
    }

    /// The command to type if the system does not let this user make namespaces.
    private static func remedy(_ user: uid_t) -> Remedy {
        if let permission { return permission }
        return user == 0
            ? "docker run --cap-add SYS_ADMIN --cap-add NET_ADMIN --security-opt apparmor=unconfined, or --privileged"
            : Remedy(.makeSandboxAsRoot)
    }
}
