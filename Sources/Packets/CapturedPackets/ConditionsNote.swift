// SPDX-License-Identifier: Apache-2.0

/// The comment that marks the first packet after a change of the link's conditions.
package enum ConditionsNote {
    private static let words = "conditions from here on: "

    /// The comment for the profile `name`.
    package static func comment(_ name: String) -> String { words + name }

    /// The profile's name in such a comment; nil for any other comment.
    package static func profile(inComment comment: String) -> String? {
        comment.hasPrefix(words) ? String(comment.dropFirst(words.count)) : nil
    }
}
