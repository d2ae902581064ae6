// SPDX-License-Identifier: Apache-2.0

import CapturedPackets

/// A query as sent to a server (RFC 1035 section 4), with a random identifier and random case, which only the server
/// sees.
struct DNSQuery: Hashable {
    /// The largest UDP response that the query allows (EDNS, RFC 6891): one that needs no fragmentation.
    private static let answerSize: UInt16 = 1232

    let identifier: UInt16
    /// The name's labels, with random upper and lower case (draft-vixie-dnsext-dns0x20).
    let labels: [[UInt8]]
    let type: DNSQuestion.RecordType
    /// Whether the query has an EDNS record, which some old servers reject.
    let hasExtension: Bool

    /// Makes a query; nil if the name is invalid: an empty label, a label over 63 bytes, or more than 255 bytes in all.
    init?(_ question: DNSQuestion, hasExtension: Bool = true, using generator: inout some RandomNumberGenerator) {
        guard var labels = Self.labels(of: question.name) else { return nil }
        for label in labels.indices {
            for index in labels[label].indices where Self.isLetter(labels[label][index]) && generator.next() & 1 == 1 {
                labels[label][index] ^= 0x20
            }
        }
        identifier = UInt16.random(in: 0...UInt16.max, using: &generator)
        self.labels = labels
        type = question.type
        self.hasExtension = hasExtension
    }

    var bytes: [UInt8] {
        // Flags: a query with recursion desired. One question, and no records but EDNS's.
        var message = DNSHeader(identifier: identifier, flags: 0x0100, additions: hasExtension ? 1 : 0).bytes
        message += labels.flatMap { [UInt8($0.count)] + $0 } + [0]
        message += Self.bytes(type.rawValue, 1)  // class IN
        guard hasExtension else { return message }
        // The EDNS record: the root's name, no extended code, version 0, no flags, no options.
        return message + [0] + Self.bytes(41, Self.answerSize, 0, 0, 0)
    }

    /// The numbers in network byte order.
    private static func bytes(_ numbers: UInt16...) -> [UInt8] {
        numbers.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    /// Splits a name into its labels; nil if the name is invalid.
    static func labels(of name: String) -> [[UInt8]]? {
        let name = name.hasSuffix(".") ? name.dropLast() : name[...]
        guard !name.isEmpty else { return nil }
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
        let isName = labels.allSatisfy { (1...63).contains($0.count) } && labels.reduce(1) { $0 + 1 + $1.count } <= 255
        return isName ? labels : nil
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// The labels in lower case, in which names are compared.
    static func lowercased(_ labels: [[UInt8]]) -> [[UInt8]] {
        labels.map { $0.map { isLetter($0) ? $0 | 0x20 : $0 } }
    }
}
