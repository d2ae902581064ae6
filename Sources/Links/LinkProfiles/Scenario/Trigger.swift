// SPDX-License-Identifier: Apache-2.0

/// The event that starts a step of a scenario, counted from the start of the previous step.
public enum Trigger: Hashable, Sendable {
    /// After this time.
    case time(Duration)
    /// After the link has carried this number of bytes, in both directions together.
    case bytes(ByteCount)
    /// After the client has started to open this number of connections.
    case connections(Int)
    /// At the mark with this name.
    case mark(String)

    /// The name of the mark; nil for any other trigger.
    package var mark: String? { if case .mark(let name) = self { name } else { nil } }
}

extension Trigger: CustomStringConvertible {
    /// The event, in words: "20 s", "10 kB", "2 connections", "mark 'cancelled'".
    public var description: String {
        switch self {
        case .time(let time): time.text
        case .bytes(let count): "\(count)"
        case .connections(let count): counted(count, "connection")
        case .mark(let name): "mark '\(name)'"
        }
    }
}

/// The names of steps and marks, which expectations quote.
public enum Label {
    /// The largest number of characters.
    public static let maximumLength = 100

    /// The reason why `text` is not a valid label, as the predicate of a sentence ("is empty"); nil if it is valid.
    public static func problem(with text: String) -> String? {
        if text.allSatisfy(\.isWhitespace) { return "is empty" }
        if text.count > maximumLength { return "is longer than \(maximumLength) characters" }
        if text.containsControlCharacter { return "contains a control character" }
        if text.contains("'") { return "contains an apostrophe, which ends a label in expectations" }
        if text.first?.isWhitespace == true || text.last?.isWhitespace == true { return "begins or ends with a space" }
        return nil
    }
}
