// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// The name of a mirror's device.
package struct MirrorName: Hashable, Sendable {
    /// The name.
    package let text: String

    /// Takes a name of 1 to 15 letters, digits, and characters of "-_.".
    ///
    /// - Parameter isReserved: whether another part of linkcond gives its devices such names.
    package init(_ text: String, isReserved: Bool = false) throws(MirrorError) {
        guard !isReserved else {
            throw MirrorError(.invalidRequest, "\"\(text)\" is a name for devices that carry conditions")
        }
        let marks = Set("-_.".utf8)
        let isPlain = text.utf8.allSatisfy { byte in
            marks.contains(byte) || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
        }
        guard (1...LinkRequest.maximumNameLength).contains(text.utf8.count), isPlain, text != ".", text != ".." else {
            throw MirrorError(
                .invalidRequest,
                "\"\(text)\" is no name for an interface: it takes 1 to 15 letters, digits, and characters of \"-_.\""
            )
        }
        self.text = text
    }
}
