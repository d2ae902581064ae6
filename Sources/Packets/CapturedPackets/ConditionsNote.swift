// SPDX-License-Identifier: Apache-2.0

/// The comment of the first packet to which other conditions applied than to those before it.
package enum ConditionsNote {
    private static let words = "conditions from here on: "

    /// The comment for the profile `name`.
    package static func comment(_ name: String) -> String { words + name }

    /// The name of the profile in a comment; nil if it is another one.
    package static func profile(inComment comment: String) -> String? {
        comment.hasPrefix(words) ? String(comment.dropFirst(words.count)) : nil
    }
}
