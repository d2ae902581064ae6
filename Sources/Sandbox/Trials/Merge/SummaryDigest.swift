// SPDX-License-Identifier: Apache-2.0

/// The last member of summary.json: the SHA-256 of all bytes of the file before it. It shows that the file is whole,
/// and is as linkcond wrote it.
enum SummaryDigest {
    private static let (start, end) = (",\n  \"digest\": \"", "\"\n}\n")

    /// The member with this digest, and the end of the file.
    static func member(_ digest: String) -> String { start + digest + end }

    /// The digest that a file has, and the bytes that it is about; nil if the file does not end with one.
    static func parts(of file: [UInt8]) -> (digest: String, content: ArraySlice<UInt8>)? {
        let length = member(String(repeating: "0", count: 64)).utf8.count
        guard file.count > length else { return nil }
        let (content, tail) = (file.dropLast(length), String(decoding: file.suffix(length), as: UTF8.self))
        guard tail.hasPrefix(start), tail.hasSuffix(end) else { return nil }
        return (String(tail.dropFirst(start.count).dropLast(end.count)), content)
    }
}
