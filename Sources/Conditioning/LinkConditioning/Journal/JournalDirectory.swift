// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// The directory of the journal.
///
/// It is `$LINKCOND_STATE_DIR` if that is set; a journal is then required. Otherwise, root of the initial user
/// namespace uses /run/linkcond, which a reboot empties, and requires a journal. Root of another user namespace tries
/// that directory and then `$XDG_RUNTIME_DIR/linkcond`, other users only the latter; if neither is usable, they work
/// without a journal.
struct JournalDirectory: Hashable {
    /// The directories to try, in order of preference.
    let candidates: [String]
    /// Whether a change requires a journal.
    let isRequired: Bool

    /// The working directory when the process started, against which a relative path is resolved: a guardian changes
    /// its own.
    private static let start: String? = getcwd(nil, 0).map { path in
        defer { free(path) }
        return String(cString: path)
    }

    /// Chooses the directories for a user. `isRoot` means an effective uid of 0, `hasOwnUserNamespace` a user namespace
    /// other than the initial one.
    init(
        environment: (String) -> String?,
        isRoot: Bool,
        hasOwnUserNamespace: Bool,
        workingDirectory: String? = start
    ) {
        if let given = environment("LINKCOND_STATE_DIR"), !given.isEmpty {
            let prefix = given.hasPrefix("/") ? nil : workingDirectory
            (candidates, isRequired) = ([prefix.map { "\($0)/\(given)" } ?? given], true)
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
