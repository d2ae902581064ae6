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
        guard let header = reader.dnsHeader(), header.questions <= 16 else { return nil }
        (identifier, isAnswer, code) = (header.identifier, header.isAnswer, header.code)
        for _ in 0..<header.questions {
            guard let question = reader.dnsEntry() else { return nil }
            questions.append(Question(name: question.name, type: question.type))
        }
        for _ in 0..<header.answers {
            // A capture may have cut it.
            guard let record = reader.dnsRecord() else { return }
            let (owner, length) = (record.owner, record.data.count)
            // Class IN; other records, such as aliases, are passed over.
            guard owner.dnsClass == 1, owner.type == 1 && length == 4 || owner.type == 28 && length == 16,
                let address = IPAddress(bytes: Array(record.data))
            else { continue }
            addresses.append(Answer(name: owner.name, address: address))
        }
    }
}
