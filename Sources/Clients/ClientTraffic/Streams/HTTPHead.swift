// SPDX-License-Identifier: Apache-2.0

/// The start line and the fields of an HTTP/1 message (RFC 9112), as far as they were captured.
struct HTTPHead {
    /// The length of the body that follows.
    enum Body: Equatable {
        case none
        case length(Int)
        case chunked
        /// The body lasts until the connection ends.
        case toTheEnd
        /// The following bytes are another protocol's, or cannot be parsed.
        case foreign
    }

    let startLine: String
    private let fields: [(name: String, value: String)]

    /// Parses the lines in `bytes`; nil if not even the first line is complete.
    init?(_ bytes: [UInt8]) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        // The last element is what follows the last line feed.
        guard lines.popLast() != nil, let first = lines.popFirst() else { return nil }
        startLine = Self.text(first)
        fields = lines.compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            return (Self.text(line[..<colon]).lowercased(), Self.text(line[(colon + 1)...]))
        }
    }

    /// The value of a field.
    ///
    /// - Parameter name: the field's name in lower case.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The method and target of a request; nil if the start line is not a request's.
    var request: (method: String, target: String)? {
        let words = startLine.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1."), 1...24 ~= words[0].utf8.count,
            words[0].utf8.allSatisfy({ 0x41...0x5A ~= $0 || $0 == 0x2D || $0 == 0x5F }), !words[1].isEmpty
        else { return nil }
        return (String(words[0]), String(words[1]))
    }

    /// The status of an answer; nil if the start line is not an answer's.
    var status: Int? {
        let words = startLine.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3,
            let status = Int(digits: words[1]), status >= 100
        else { return nil }
        return status
    }

    /// The body of a request (RFC 9112, section 6.3).
    var requestBody: Body { statedBody ?? Body.none }

    /// The body of an answer to a request with the method `method`.
    func answerBody(to method: String) -> Body {
        guard let status else { return .foreign }
        if status == 101 || method == "CONNECT" && 200...299 ~= status { return .foreign }
        if method == "HEAD" || 100...199 ~= status || status == 204 || status == 304 { return .none }
        return statedBody ?? .toTheEnd
    }

    private var statedBody: Body? {
        if let coding = self["transfer-encoding"] {
            return coding.lowercased().hasSuffix("chunked") ? .chunked : .toTheEnd
        }
        guard let text = self["content-length"] else { return nil }
        return Int(digits: text).map { .length($0) } ?? .foreign
    }

    /// A part of a line, without blanks around it.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        let begin = bytes.firstIndex { !isBlank($0) } ?? bytes.endIndex
        let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? begin
        return String(decoding: bytes[begin..<end], as: UTF8.self)
    }
}
