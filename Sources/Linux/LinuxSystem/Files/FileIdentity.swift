// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// The identity of a file: device and inode, stat(2).
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    /// Identifies the file at `path`; nil if there is none.
    package init?(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        self.init(facts)
    }

    /// Identifies the open file `descriptor`; nil if it is not open.
    package init?(descriptor: CInt) {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return nil }
        self.init(facts)
    }

    /// Takes the identity from the result of stat(2) or lstat(2).
    package init(_ facts: stat) {
        device = UInt64(facts.st_dev)
        inode = UInt64(facts.st_ino)
    }
}
