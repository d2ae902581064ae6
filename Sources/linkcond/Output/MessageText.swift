// SPDX-License-Identifier: Apache-2.0

import LinkProfiles

/// The text of messages, which quote the program's arguments.
enum MessageText {
    /// The longest argument, in bytes, that a message quotes as a whole.
    static let longestArgument = 200
    private static let shownLength = 100

    /// The message with its control characters escaped. An argument stays on one line, so that it cannot look like a
    /// message of its own, and is truncated if it is very long.
    static func readable(_ message: String) -> String {
        readable(message, quoting: arguments)
    }

    static func readable(_ message: String, quoting arguments: [String]) -> String {
        var bytes = Array(message.utf8)
        for argument in arguments { bytes.replace(Array(argument.utf8), with: Array(shown(argument).utf8)) }
        return String(decoding: bytes, as: UTF8.self).escapingControls(keepingLines: true)
    }

    /// The arguments that are not to be quoted as they are, longest first.
    private static let arguments = quotedParts(of: CommandLine.arguments.dropFirst())

    /// What messages quote of these arguments: the whole, what follows "=" or ":", or what follows the "@" of a file.
    static func quotedParts(of arguments: some Sequence<String>) -> [String] {
        let parts = Set(
            arguments.filter(isUnusual).flatMap { argument -> [Substring] in
                let ends = argument.indices.filter { argument[$0] == "=" || argument[$0] == ":" }.prefix(4)
                return [argument[...], argument.dropFirst()] + ends.map { argument[$0...].dropFirst() }
            }
        )
        return parts.map(String.init).filter(isUnusual).sorted { $0.utf8.count > $1.utf8.count }
    }

    private static func isUnusual(_ text: String) -> Bool {
        text.utf8.count > longestArgument || text.utf8.contains { $0 < 0x20 }
    }

    private static func shown(_ argument: String) -> String {
        let length = argument.utf8.count
        guard length > longestArgument else { return argument.escapingControls() }
        let beginning = String(String.UnicodeScalarView(argument.unicodeScalars.prefix(shownLength)))
        return "\(beginning.escapingControls())... (\(length) bytes)"
    }
}

extension [UInt8] {
    /// Replaces each occurrence of `part`.
    fileprivate mutating func replace(_ part: [UInt8], with other: [UInt8]) {
        guard let first = part.first, part != other, count >= part.count else { return }
        var result: [UInt8] = []
        var place = startIndex
        while place < endIndex {
            if self[place] == first, endIndex - place >= part.count,
                self[place..<place + part.count].elementsEqual(part)
            {
                result += other
                place += part.count
            } else {
                result.append(self[place])
                place += 1
            }
        }
        self = result
    }
}
