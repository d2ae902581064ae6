// SPDX-License-Identifier: Apache-2.0

/// A request's target, decoded: RFC 3986, and the query as forms write it.
struct PaneTarget: Equatable {
    var path: String
    var query: [String: String] = [:]

    /// Decodes "/v1/preview?profile=Slow%20Net"; nil unless it is a path, and all of it is UTF-8 without control
    /// characters, such as the line ends that would begin another field where a target is copied to.
    init?(_ target: String) {
        guard target.hasPrefix("/") else { return nil }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = Self.decoded(parts[0], plusIsSpace: false) else { return nil }
        self.path = path
        guard parts.count > 1 else { return }
        for pair in parts[1].split(separator: "&") {
            let words = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(words[0], plusIsSpace: true),
                let value = words.count > 1 ? Self.decoded(words[1], plusIsSpace: true) : ""
            else { return nil }
            query[name] = value
        }
    }

    private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2)
                guard digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                    let value = UInt8(String(Substring(digits)), radix: 16)
                else { return nil }
                rest.removeFirst(2)
                bytes.append(value)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
