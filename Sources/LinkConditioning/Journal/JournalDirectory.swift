// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// Where journals are kept.
///
/// `$LINKCOND_STATE_DIR` decides. Else it is /run/linkcond for root, so that a restart of the machine cleans it by
/// construction, and `$XDG_RUNTIME_DIR/linkcond` for who has rights over a network of his own only. Root of the
/// machine itself must have a journal; others do without where they can write to neither.
struct JournalDirectory: Hashable {
    /// The directories to try, the best first.
    let candidates: [String]
    /// Whether nothing may be changed without a journal.
    let isRequired: Bool

    /// Chooses for a user; `isRoot` by the effective uid, `hasOwnUserNamespace` where that is not the machine's root.
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
            // The machine's own maps every number to itself: user_namespaces(7).
            hasOwnUserNamespace: !map.isEmpty && map != ["0", "0", "4294967295"]
        )
    }

    /// Makes sure of a directory that nobody else can write to.
    static func prepare(_ path: String, creating: Bool) throws(SystemError) {
        if creating, mkdir(path, 0o700) != 0, errno != EEXIST {
            throw SystemError(operation: "make \(path)", code: errno)
        }
        var facts = stat()
        guard lstat(path, &facts) == 0 else { throw SystemError(operation: "open \(path)", code: errno) }
        guard facts.st_mode & S_IFMT == S_IFDIR else { throw SystemError(operation: "use \(path)", code: ENOTDIR) }
        guard facts.st_uid == geteuid(), facts.st_mode & 0o022 == 0 else {
            throw SystemError(operation: "trust \(path), which is not this user's alone", code: EPERM)
        }
    }
}
