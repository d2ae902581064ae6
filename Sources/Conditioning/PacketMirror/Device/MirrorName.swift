// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// The name of a mirror's device.
package struct MirrorName: Hashable, Sendable {
    package let text: String

    /// Accepts a name of 1 to 15 letters, digits, and characters of "-_.".
    ///
    /// - Parameter isReserved: whether another part of linkcond uses names of this form for its devices.
    package init(_ text: String, isReserved: Bool = false) throws(MirrorError) {
        guard !isReserved else {
            throw MirrorError(.invalidRequest, "\"\(text)\" is a name for devices that carry conditions")
        }
        let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "-_.".contains($0) }
        guard (1...LinkRequest.maximumNameLength).contains(text.utf8.count), isPlain, text != ".", text != ".." else {
            throw MirrorError(
                .invalidRequest,
                "\"\(text)\" is no name for an interface: it takes 1 to 15 letters, digits, and characters of \"-_.\""
            )
        }
        self.text = text
    }
}
