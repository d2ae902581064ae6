// SPDX-License-Identifier: Apache-2.0

import LinkProfiles

/// Prepares messages, which may quote the program's arguments, for output.
enum MessageText {
    /// The length in bytes up to which an argument is quoted in full.
    static let longestArgument = 200
    private static let shownLength = 100

    private static let arguments = QuotedArguments(CommandLine.arguments.dropFirst())

    /// Escapes control characters in a message. A quoted argument stays on one line, so that it cannot look like
    /// another message, and is truncated if it is very long.
    static func readable(_ message: String) -> String { readable(message, quoting: arguments) }

    static func readable(_ message: String, quoting arguments: QuotedArguments) -> String {
        let bytes = Array(message.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let part = arguments.longest(at: bytes[index...]) {
                result += shown(String(decoding: part, as: UTF8.self)).utf8
                index += part.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self).escapingControls(keepingLines: true)
    }

    private static func shown(_ argument: String) -> String {
        let length = argument.utf8.count
        guard length > longestArgument else { return argument.escapingControls() }
        let beginning = String(String.UnicodeScalarView(argument.unicodeScalars.prefix(shownLength)))
        return "\(beginning.escapingControls())... (\(length) bytes)"
    }
}

/// The arguments that a message must not quote unchanged: long ones, and ones with control characters.
struct QuotedArguments {
    /// The parts in ascending order, so that a binary search finds the few to compare a message with: there may be as
    /// many arguments as the kernel accepts.
    private let parts: [[UInt8]]
    private var isFirst = [Bool](repeating: false, count: 256)

    /// Stores, of each such argument, the whole, the part after its first character (as in "@FILE"), and the parts
    /// after "=" or ":".
    init(_ arguments: some Sequence<String>) {
        let parts = Set(
            arguments.filter(Self.isUnusual).flatMap { argument -> [Substring] in
                let ends = argument.indices.filter { argument[$0] == "=" || argument[$0] == ":" }.prefix(4)
                return [argument[...], argument.dropFirst()] + ends.map { argument[$0...].dropFirst() }
            }
        )
        self.parts = parts.map(String.init).filter(Self.isUnusual).map { Array($0.utf8) }
            .sorted { $0.lexicographicallyPrecedes($1) }
        for part in self.parts { isFirst[Int(part[0])] = true }
    }

    private static func isUnusual(_ text: String) -> Bool {
        text.utf8.count > MessageText.longestArgument || text.utf8.contains { $0 < 0x20 }
    }

    /// The longest part with which `text` begins; nil if there is none.
    func longest(at text: ArraySlice<UInt8>) -> [UInt8]? {
        guard let first = text.first, isFirst[Int(first)] else { return nil }
        var text = text
        // The last part that is not after `text` in order starts with every part with which `text` begins. So if it is
        // not such a part itself, the search goes on with the beginning that both have in common.
        while !text.isEmpty, let part = last(notAfter: text) {
            let common = zip(part, text).prefix { $0 == $1 }.count
            if common == part.count { return part }
            text = text.prefix(common)
        }
        return nil
    }

    private func last(notAfter text: ArraySlice<UInt8>) -> [UInt8]? {
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low + high) / 2
            if text.lexicographicallyPrecedes(parts[middle]) { high = middle } else { low = middle + 1 }
        }
        return low > 0 ? parts[low - 1] : nil
    }
}
