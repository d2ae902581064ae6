// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// The directory of the journal.
///
/// It is `$LINKCOND_STATE_DIR` if that is set. Else it is /run/linkcond for root, which a reboot empties, and
/// `$XDG_RUNTIME_DIR/linkcond` for users who control only a network of their own. Root of the initial user namespace
/// must have a journal; others work without one if they can write to neither.
struct JournalDirectory: Hashable {
    /// The directories to try, in order of preference.
    let candidates: [String]
    /// Whether a change requires a journal.
    let isRequired: Bool

    /// Chooses for a user. `isRoot` goes by the effective uid; `hasOwnUserNamespace` means root of another namespace.
    init(environment: (String) -> String?, isRoot: Bool, hasOwnUserNamespace: Bool) {
        if let given = environment("LINKCOND_STATE_DIR"), !given.isEmpty {
            (candidates, isRequired) = ([given], true)
            return
        }
        let runtime = environment("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? "\($0)/linkcond" : nil }
        candidates =
            (isRoot ? ["/run/linkcond"] : []) + (isRoot && !hasOwnUserNamespace ? [] : [runtime].compactMap { $0 })
        isRequired = isRoot && !hasOwnUserNamespace
    }

    /// The choice for this process.
    static var current: JournalDirectory {
        let map = ProcFile("/proc/self/uid_map").text.split { $0.isWhitespace }
        return JournalDirectory(
            environment: { name in getenv(name).map { String(cString: $0) } },
            isRoot: geteuid() == 0,
            // The initial namespace maps every ID to itself: user_namespaces(7).
            hasOwnUserNamespace: !map.isEmpty && map != ["0", "0", "4294967295"]
        )
    }

    /// Checks that only this user can write to a directory, after creating it if asked.
    static func prepare(_ path: String, creating: Bool) throws(SystemError) {
        if creating, mkdir(path, 0o700) != 0, errno != EEXIST {
            throw SystemError(operation: "make \(path)", code: errno)
        }
        var facts = stat()
        guard lstat(path, &facts) == 0 else { throw SystemError(operation: "open \(path)", code: errno) }
        guard facts.st_mode & S_IFMT == S_IFDIR else { throw SystemError(operation: "use \(path)", code: ENOTDIR) }
        guard facts.st_uid == geteuid(), facts.st_mode & 0o022 == 0 else {
            throw SystemError(operation: "trust \(path), which another user owns or can write to", code: EPERM)
        }
    }
}
