// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkConditioning
package import LinuxSystem

/// A user of this system, for a command that root starts as another user.
package struct Account: Hashable, Sendable {
    package let name: String
    let userID: uid_t
    /// The user's groups, with the primary group first.
    private let groups: [gid_t]
    private let home: String
    private let shell: String

    /// Looks a user up by name or number.
    ///
    /// Uses getent(1) and id(1), since a static program cannot load the system's name services.
    package init(named name: String) throws(SandboxError) {
        let entry = SystemQuery.lines(["getent", "passwd", "--", name]).first ?? ""
        let fields = entry.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard fields.count >= 7, let user = uid_t(fields[2]), let group = gid_t(fields[3]) else {
            throw SandboxError("there is no user \(name)", remedy: "getent passwd")
        }
        self.name = fields[0]
        userID = user
        let others = SystemQuery.lines(["id", "-G", "--", fields[0]]).first ?? ""
        groups = [group] + others.split(separator: " ").compactMap { gid_t($0) }.filter { $0 != group }
        home = fields[5]
        shell = fields[6].isEmpty ? "/bin/sh" : fields[6]
    }

    /// The prefixes of variables that belong to the caller's session, agents and settings.
    private static let foreign = ["DBUS_", "SSH_AGENT_PID", "SSH_AUTH_SOCK", "SUDO_", "XDG_"]

    package var fileRights: FileRights { FileRights(user: userID, groups: groups) }

    /// Replaces root's user and groups by the user's, permanently.
    package func takeRights() throws(SandboxError) {
        try checked(setgroups(groups.count, groups), "set the groups of \(name)")
        try checked(setgid(groups[0]), "set the group of \(name)")
        try checked(setuid(userID), "become \(name)")
    }

    /// Changes this process to the user permanently, with the user's environment variables.
    func assume() throws(SandboxError) {
        try takeRights()
        for prefix in Self.foreign { lc_unset_variables(prefix) }
        for (key, value) in [("HOME", home), ("USER", name), ("LOGNAME", name), ("SHELL", shell)] {
            setenv(key, value, 1)
        }
    }
}

extension Account? {
    /// The user's rights to files; nil has the rights of this process.
    package var fileRights: FileRights { self?.fileRights ?? .own }
}
