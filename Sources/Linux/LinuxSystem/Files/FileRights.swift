// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
package import Glibc

/// The user and groups with whose rights this process accesses files.
///
/// If root opens a path in another user's directory, that user's symbolic links may lead anywhere. With that user's
/// rights, root reaches only files that the user could reach anyway.
package struct FileRights: Hashable, Sendable {
    /// The user and the groups, the primary one first; nil for this process's own.
    private let account: Account?

    private struct Account: Hashable, Sendable {
        var user: uid_t
        var groups: [gid_t]
    }

    /// This process's own rights.
    package static let own = FileRights(account: nil)

    private init(account: Account?) { self.account = account }

    /// The rights of a user with these groups, the primary one first.
    package init(user: uid_t, groups: [gid_t]) { account = Account(user: user, groups: groups) }

    /// Calls `body` with these rights. The calling process must have a single thread and, unless the rights are its
    /// own, run as root.
    ///
    /// - Throws: the error of `body`, or the reason why the rights cannot be acquired.
    package func with<Value>(_ body: () throws(SystemError) -> Value) throws(SystemError) -> Value {
        guard let account, let group = account.groups.first else { return try body() }
        let own = try Self.currentGroups()
        try checked(setgroups(account.groups.count, account.groups), "take the groups of user \(account.user)")
        // Root may restore the file's former owner.
        defer {
            _ = lc_set_file_user(geteuid(), getegid())
            _ = setgroups(own.count, own)
        }
        try checked(lc_set_file_user(account.user, group), "use files as user \(account.user)")
        return try body()
    }

    private static func currentGroups() throws(SystemError) -> [gid_t] {
        var groups = [gid_t](repeating: 0, count: Int(try checked(getgroups(0, nil), "read the groups")))
        try checked(getgroups(CInt(groups.count), &groups), "read the groups")
        return groups
    }
}
