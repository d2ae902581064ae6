// SPDX-License-Identifier: Apache-2.0

/// A note for the user; a program words its remedy itself. A string is a note without a remedy.
public struct ConditioningNote: Hashable, Sendable {
    /// The note's text.
    public let text: String
    /// An action to take; nil for none.
    public let remedy: Remedy?
    /// Whether the note only explains a choice, such as that of the engine, so that few users need it.
    public let isDetail: Bool

    /// Makes a note.
    public init(_ text: String, remedy: Remedy? = nil, isDetail: Bool = false) {
        (self.text, self.remedy, self.isDetail) = (text, remedy, isDetail)
    }
}

extension ConditioningNote: CustomStringConvertible, ExpressibleByStringInterpolation {
    /// The text.
    public var description: String { text }

    /// Makes a note without a remedy.
    public init(stringLiteral text: String) {
        self.init(text)
    }
}
