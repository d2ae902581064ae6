// SPDX-License-Identifier: Apache-2.0

import CapturedPackets

/// A query as it goes to a server (RFC 1035 section 4), with a number and a spelling that only its server has seen.
struct DNSQuery: Hashable {
    /// The largest UDP answer that is asked for (EDNS, RFC 6891): none that has to be cut into fragments.
    private static let answerSize: UInt16 = 1232

    let identifier: UInt16
    /// The name's labels, with their letters' case at random (draft-vixie-dnsext-dns0x20).
    let labels: [[UInt8]]
    let type: DNSQuestion.RecordType
    /// Whether the query carries EDNS's record, which some old servers refuse.
    let hasExtension: Bool

    /// Makes a query; nil for what cannot be a name: an empty label, one over 63 bytes, more than 255 in all.
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
        // A query; recursion desired. One question, and no records but EDNS's.
        var message = DNSHeader(identifier: identifier, flags: 0x0100, additions: hasExtension ? 1 : 0).bytes
        message += labels.flatMap { [UInt8($0.count)] + $0 } + [0]
        message += Self.bytes(type.rawValue, 1)  // the Internet
        guard hasExtension else { return message }
        // The root's name; no extended code, version 0, no flags, no options.
        return message + [0] + Self.bytes(41, Self.answerSize, 0, 0, 0)
    }

    /// Numbers in network order.
    private static func bytes(_ numbers: UInt16...) -> [UInt8] {
        numbers.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    /// The labels of a name; nil for what cannot be one.
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

    /// The name with small letters, as names are compared.
    static func lowercased(_ labels: [[UInt8]]) -> [[UInt8]] {
        labels.map { $0.map { isLetter($0) ? $0 | 0x20 : $0 } }
    }
}
