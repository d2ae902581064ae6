// SPDX-License-Identifier: Apache-2.0

/// The condition that starts a step of a scenario. It counts from the step before.
public enum Trigger: Hashable, Sendable {
    /// Time.
    case time(Duration)
    /// Bytes that the link carries, in both directions.
    case bytes(ByteCount)
    /// Connections that the client begins to open.
    case connections(Int)
    /// A mark of this name.
    case mark(String)

    /// The mark that it is; nil if it is none.
    package var mark: String? { if case .mark(let name) = self { name } else { nil } }
}

extension Trigger: CustomStringConvertible {
    /// The condition, in words: "20 s", "10 kB", "2 connections", "mark 'cancelled'".
    public var description: String {
        switch self {
        case .time(let time): time.text
        case .bytes(let count): "\(count)"
        case .connections(let count): count == 1 ? "1 connection" : "\(count) connections"
        case .mark(let name): "mark '\(name)'"
        }
    }
}

/// The names of steps and marks, which expectations quote.
public enum Label {
    /// The largest number of characters.
    public static let maximumLength = 100

    /// The reason why `text` is no label, as the predicate of a sentence; nil if it is one.
    public static func problem(with text: String) -> String? {
        if text.allSatisfy(\.isWhitespace) { return "is empty" }
        if text.count > maximumLength { return "is longer than \(maximumLength) characters" }
        if text.containsControlCharacter { return "contains a control character" }
        if text.contains("'") { return "contains an apostrophe, which ends a label in expectations" }
        if text.first?.isWhitespace == true || text.last?.isWhitespace == true { return "begins or ends with a space" }
        return nil
    }
}
