// SPDX-License-Identifier: Apache-2.0

package import InternetAddresses

/// A DNS message (RFC 1035), as far as a capture needs it: what was asked, and which addresses were answered.
package struct DNSMessage: Hashable, Sendable {
    package struct Question: Hashable, Sendable {
        /// The name, without a dot at its end.
        package var name: String
        /// The type of record: 1 for IPv4 addresses, 28 for IPv6 addresses.
        package var type: UInt16
    }

    package struct Answer: Hashable, Sendable {
        package var name: String
        package var address: IPAddress
    }

    /// The number that a query and its answer share.
    package var identifier: UInt16
    package var isAnswer: Bool
    /// The response code; 0 for success, 3 for a name that does not exist.
    package var code: UInt8
    package var questions: [Question] = []
    /// The addresses of the answer section, with the names that they belong to.
    package var addresses: [Answer] = []

    /// Reads a message; nil if it is none or is malformed.
    package init?(_ bytes: [UInt8]) {
        var reader = ByteCursor(bytes[...])
        guard let identifier = reader.word(), let flags = reader.word(), let questionCount = reader.word(),
            let answerCount = reader.word(), reader.skip(4), questionCount <= 16
        else { return nil }
        self.identifier = identifier
        isAnswer = flags & 0x8000 != 0
        code = UInt8(flags & 0xF)
        for _ in 0..<questionCount {
            guard let name = reader.name(), let type = reader.word(), reader.word() != nil else { return nil }
            questions.append(Question(name: name, type: type))
        }
        for _ in 0..<answerCount {
            guard let name = reader.name(), let type = reader.word(), let kind = reader.word(), reader.skip(4),
                let length = reader.word(), let data = reader.bytes(Int(length))
            else {
                // A capture may have cut it.
                return
            }
            // Class IN; other records, such as aliases, are passed over.
            guard kind == 1, type == 1 && data.count == 4 || type == 28 && data.count == 16,
                let address = IPAddress(bytes: Array(data))
            else { continue }
            addresses.append(Answer(name: name, address: address))
        }
    }
}

extension ByteCursor {
    fileprivate mutating func name() -> String? {
        labels()?.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
    }

    /// The labels of a name, whose end may stand earlier in the message (RFC 1035, section 4.1.4).
    package mutating func labels() -> [[UInt8]]? {
        var labels: [[UInt8]] = []
        var position = index
        var end: Int?
        // A pointer leads back, so that there is an end.
        var limit = position
        // With the zero at the end.
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
