// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
package import Glibc

/// With whose rights this process names files.
///
/// Root that opens a path in a directory of another user goes where that user's symbolic links lead. With the user's own
/// rights, it reaches nothing that the user could not reach anyway.
package struct FileRights: Hashable, Sendable {
    /// The user and the groups, the primary one first; nil for those of this process.
    private let account: Account?

    private struct Account: Hashable, Sendable {
        var user: uid_t
        var groups: [gid_t]
    }

    /// The rights that this process has anyway.
    package static let own = FileRights(account: nil)

    private init(account: Account?) { self.account = account }

    /// The rights of a user with these groups, the primary one first.
    package init(user: uid_t, groups: [gid_t]) { account = Account(user: user, groups: groups) }

    /// Calls `body` with these rights. The calling process must have a single thread and, unless they are its own, be
    /// root's.
    ///
    /// - Throws: what `body` throws, or why the rights cannot be had.
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
