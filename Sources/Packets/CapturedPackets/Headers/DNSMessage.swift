// SPDX-License-Identifier: Apache-2.0

package import InternetAddresses

/// The parts of a DNS message (RFC 1035) that a capture needs: its questions, and the addresses in its answers.
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

    /// The ID that a query and its response share.
    package var identifier: UInt16
    package var isAnswer: Bool
    /// The response code; 0 for success, 3 for a name that does not exist.
    package var code: UInt8
    package var questions: [Question] = []
    /// The addresses in the answer section, each with the name that it belongs to.
    package var addresses: [Answer] = []

    /// Reads a message; nil if `bytes` are not a valid DNS message.
    package init?(_ bytes: [UInt8]) {
        var reader = ByteCursor(bytes[...])
        guard let header = reader.dnsHeader(), header.questions <= 16 else { return nil }
        (identifier, isAnswer, code) = (header.identifier, header.isAnswer, header.code)
        for _ in 0..<header.questions {
            guard let question = reader.dnsEntry() else { return nil }
            questions.append(Question(name: question.name, type: question.type))
        }
        for _ in 0..<header.answers {
            // The capture may have cut the message: the addresses read so far are kept.
            guard let record = reader.dnsRecord() else { return }
            let (owner, length) = (record.owner, record.data.count)
            // Records of class IN and type A or AAAA; others, such as aliases, are skipped.
            guard owner.dnsClass == 1, owner.type == 1 && length == 4 || owner.type == 28 && length == 16,
                let address = IPAddress(bytes: Array(record.data))
            else { continue }
            addresses.append(Answer(name: owner.name, address: address))
        }
    }
}
