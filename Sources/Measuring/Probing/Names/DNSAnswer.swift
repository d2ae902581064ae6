// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import InternetAddresses

struct DNSAnswer: Hashable {
    /// The response codes that matter here (RFC 1035 section 4.1.1).
    enum Code {
        static let (noError, formatError, serverFailure) = (UInt8(0), UInt8(1), UInt8(2))
        static let (nameError, notImplemented, refused) = (UInt8(3), UInt8(4), UInt8(5))
    }

    var code: UInt8
    /// Whether more would have come over TCP.
    var isTruncated: Bool
    /// Whether the server repeated the name letter by letter.
    var keepsCase = true
    /// The addresses of the name, or of the name that it stands for.
    var addresses: [IPAddress] = []
    /// The least time to live on the way to them, in seconds.
    var timeToLive: UInt32?

    /// What a message was, in answer to a query.
    enum Reading: Hashable {
        case answer(DNSAnswer)
        /// The answer to another query, or no answer at all.
        case other
        /// Nothing that could be read.
        case malformed
    }

    /// Reads a message that came from the server of `query`.
    static func read(_ message: [UInt8], to query: DNSQuery) -> Reading {
        var reader = ByteCursor(message[...])
        guard let identifier = reader.word(), let flags = reader.word(), let questions = reader.word(),
            let records = reader.word(), reader.long() != nil
        else { return .malformed }
        guard identifier == query.identifier, flags & 0x8000 != 0 else { return .other }
        var answer = DNSAnswer(code: UInt8(flags & 0xF), isTruncated: flags & 0x0200 != 0)
        // Servers that refuse a query need not repeat it.
        guard questions > 0 || answer.code == Code.noError else { return .answer(answer) }
        guard questions == 1, let name = reader.labels(), let type = reader.word(), let dnsClass = reader.word() else {
            return .malformed
        }
        guard dnsClass == 1, type == query.type.rawValue,
            DNSQuery.lowercased(name) == DNSQuery.lowercased(query.labels)
        else { return .other }
        answer.keepsCase = name == query.labels
        // A cut message may end anywhere.
        return answer.isTruncated || answer.readRecords(Int(records), of: query, &reader) ? .answer(answer) : .malformed
    }

    /// Finds the addresses; false if a record is malformed.
    private mutating func readRecords(_ count: Int, of query: DNSQuery, _ reader: inout ByteCursor) -> Bool {
        var aliases: [[[UInt8]]: (target: [[UInt8]], timeToLive: UInt32)] = [:]
        var found: [[[UInt8]]: [(address: IPAddress, timeToLive: UInt32)]] = [:]
        for _ in 0..<count {
            guard let owner = reader.labels().map(DNSQuery.lowercased), let type = reader.word(),
                let dnsClass = reader.word(), let time = reader.long(), let length = reader.word()
            else { return false }
            // What is in an alias may point at names before it.
            var alias = reader
            guard let data = reader.bytes(Int(length)) else { return false }
            // Values with the first bit set mean zero (RFC 2181 section 8).
            let timeToLive = time > UInt32(Int32.max) ? 0 : time
            if dnsClass == 1, type == 5 {
                guard let target = alias.labels(), alias.rest.startIndex == data.endIndex else { return false }
                aliases[owner] = (DNSQuery.lowercased(target), timeToLive)
            } else if dnsClass == 1, type == query.type.rawValue {
                guard data.count == (query.type == .a ? 4 : 16), let address = IPAddress(bytes: Array(data)) else {
                    return false
                }
                found[owner, default: []].append((address, timeToLive))
            }
        }
        var name = DNSQuery.lowercased(query.labels)
        var least: [UInt32] = []
        // At most as many steps as records, so that a loop of aliases ends too.
        for _ in 0..<count {
            guard found[name] == nil, let alias = aliases[name] else { break }
            least.append(alias.timeToLive)
            name = alias.target
        }
        guard let records = found[name] else { return true }
        addresses = records.map(\.address)
        timeToLive = (least + records.map(\.timeToLive)).min()
        return true
    }
}

extension Observation {
    /// What an answer says, which came after `elapsed`.
    init(_ answer: DNSAnswer, after elapsed: Duration) {
        let finding: Observation.Finding =
            switch answer.code {
            case DNSAnswer.Code.noError: answer.addresses.isEmpty ? .failed(.nodata) : .answered(elapsed)
            case DNSAnswer.Code.nameError: .failed(.nxdomain)
            case DNSAnswer.Code.refused: .failed(.queryRefused)
            default: .failed(.servfail)
            }
        self.init(finding)
        addresses = answer.addresses
        timeToLive = answer.timeToLive.map { .seconds(Int64($0)) }
        phases[.resolve] = elapsed
        if ![0, 2, 3, 5].contains(answer.code) {
            detail = "response code \(answer.code)"
        } else if !answer.keepsCase {
            detail = "the server changed the case of the name"
        }
    }
}
