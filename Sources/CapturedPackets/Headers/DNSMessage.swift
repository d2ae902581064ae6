// SPDX-License-Identifier: Apache-2.0

public import InternetAddresses

/// A DNS message (RFC 1035), as far as a capture needs it: what was asked, and which addresses were answered.
public struct DNSMessage: Hashable, Sendable {
    /// A question.
    public struct Question: Hashable, Sendable {
        /// The name, without a dot at its end.
        public var name: String
        /// The type of record: 1 for IPv4 addresses, 28 for IPv6 addresses.
        public var type: UInt16
    }

    /// The number that a query and its answer share.
    public var identifier: UInt16
    /// Whether it is an answer.
    public var isAnswer: Bool
    /// The response code; 0 for success, 3 for a name that does not exist.
    public var code: UInt8
    /// Whether it was cut for UDP.
    public var isTruncated: Bool
    /// The questions.
    public var questions: [Question]
    /// The addresses of the answer section, with the names that they belong to.
    public var addresses: [(name: String, address: IPAddress)] {
        answers.map { ($0.name, $0.address) }
    }

    private struct Answer: Hashable, Sendable {
        var name: String
        var address: IPAddress
    }

    private var answers: [Answer] = []

    /// Reads a message; nil if it is none or is malformed.
    public init?(_ bytes: [UInt8]) {
        var reader = Reader(bytes)
        guard let identifier = reader.word(), let flags = reader.word(), let questionCount = reader.word(),
            let answerCount = reader.word(), reader.skip(4), questionCount <= 16
        else { return nil }
        self.identifier = identifier
        isAnswer = flags & 0x8000 != 0
        code = UInt8(flags & 0xF)
        isTruncated = flags & 0x200 != 0
        questions = []
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
                let address = IPAddress(bytes: data)
            else { continue }
            answers.append(Answer(name: name, address: address))
        }
    }

    /// Reads the parts of a message.
    private struct Reader {
        private let message: [UInt8]
        private var offset = 0

        init(_ message: [UInt8]) { self.message = message }

        mutating func word() -> UInt16? {
            guard message.count - offset >= 2 else { return nil }
            defer { offset += 2 }
            return UInt16(message[offset]) << 8 | UInt16(message[offset + 1])
        }

        mutating func skip(_ count: Int) -> Bool {
            guard message.count - offset >= count else { return false }
            offset += count
            return true
        }

        mutating func bytes(_ count: Int) -> [UInt8]? {
            guard message.count - offset >= count else { return nil }
            defer { offset += count }
            return Array(message[offset..<offset + count])
        }

        /// A name, whose end may stand earlier in the message (RFC 1035, section 4.1.4).
        mutating func name() -> String? {
            var labels: [String] = []
            var place = offset
            var end: Int?
            // A pointer leads back, so that there is an end.
            var limit = place
            var length = 0
            while place < message.count {
                let size = Int(message[place])
                switch size {
                case 0:
                    offset = end ?? place + 1
                    return labels.joined(separator: ".")
                case 1...63:
                    length += size + 1
                    guard message.count - place > size, length <= 255 else { return nil }
                    labels.append(String(decoding: message[place + 1..<place + 1 + size], as: UTF8.self))
                    place += size + 1
                case 0xC0...0xFF:
                    guard place + 1 < message.count else { return nil }
                    let target = (size & 0x3F) << 8 | Int(message[place + 1])
                    guard target < limit else { return nil }
                    end = end ?? place + 2
                    (place, limit) = (target, target)
                default: return nil
                }
            }
            return nil
        }
    }
}
