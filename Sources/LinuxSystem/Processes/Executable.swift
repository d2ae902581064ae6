// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// Programs by name.
package enum Executable {
    /// The path of `name` in PATH, /usr/sbin or /sbin.
    package static func path(of name: String) -> String? {
        let places = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        let directories = places.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]
        return directories.map { "\($0)/\(name)" }.first { path in
            var facts = stat()
            return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
        }
    }
}
