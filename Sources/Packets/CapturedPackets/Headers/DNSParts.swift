// SPDX-License-Identifier: Apache-2.0

/// Name, type and class: a question of a DNS message, or the start of a record (RFC 1035, sections 4.1.2 and 4.1.3).
package struct DNSEntry {
    package var labels: [[UInt8]]
    /// The type of record: 1 for IPv4 addresses, 28 for IPv6 addresses.
    package var type: UInt16
    /// 1 for the Internet.
    package var dnsClass: UInt16

    /// The name, without a dot at its end.
    package var name: String { labels.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".") }
}

/// A record of a DNS message (RFC 1035, section 4.1.3).
package struct DNSRecord {
    package var owner: DNSEntry
    /// The time in seconds for which a resolver may cache the record.
    package var timeToLive: UInt32
    package var data: ArraySlice<UInt8>
}

/// Reads the parts of a DNS message in order; nil if a part is malformed or cut. The cursor must have started at the
/// message's first byte: compression pointers are offsets from there.
extension ByteCursor {
    package mutating func dnsHeader() -> DNSHeader? {
        guard let identifier = word(), let flags = word(), let questions = word(), let answers = word(),
            let authorities = word(), let additions = word()
        else { return nil }
        var header = DNSHeader(identifier: identifier, flags: flags, questions: questions, answers: answers)
        (header.authorities, header.additions) = (authorities, additions)
        return header
    }

    /// Reads a question, or the start of a record.
    package mutating func dnsEntry() -> DNSEntry? {
        guard let labels = labels(), let type = word(), let dnsClass = word() else { return nil }
        return DNSEntry(labels: labels, type: type, dnsClass: dnsClass)
    }

    package mutating func dnsRecord() -> DNSRecord? {
        guard let owner = dnsEntry(), let timeToLive = long(), let data = field(lengthBytes: 2) else { return nil }
        return DNSRecord(owner: owner, timeToLive: timeToLive, data: data)
    }

    /// The labels of a record's data, if that is a single domain name; nil for other data.
    package func dnsName(in data: ArraySlice<UInt8>) -> [[UInt8]]? {
        var cursor = self
        cursor.index = data.startIndex
        guard let labels = cursor.labels(), cursor.index == data.endIndex else { return nil }
        return labels
    }

    /// Reads the labels of a name, following compression pointers to earlier in the message (RFC 1035, section 4.1.4).
    mutating func labels() -> [[UInt8]]? {
        var labels: [[UInt8]] = []
        var position = index
        var end: Int?
        // Each pointer must lead to before the previous one, so that the loop ends.
        var limit = position
        // The length of the name in bytes, with the zero at its end.
        var length = 1
        while position < bytes.endIndex {
            let size = Int(bytes[position])
            switch size {
            case 0:
                index = end ?? position + 1
                return labels
            case 1...63:
                length += size + 1
                guard bytes.endIndex - position > size, length <= 255 else { return nil }
                labels.append(Array(bytes[position + 1...position + size]))
                position += size + 1
            case 0xC0...0xFF:
                guard position + 1 < bytes.endIndex else { return nil }
                let target = bytes.startIndex + ((size & 0x3F) << 8 | Int(bytes[position + 1]))
                guard target < limit else { return nil }
                end = end ?? position + 2
                (position, limit) = (target, target)
            default: return nil
            }
        }
        return nil
    }
}
