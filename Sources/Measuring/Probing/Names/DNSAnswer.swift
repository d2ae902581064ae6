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

    /// The kinds of messages, as answers to a query.
    enum Reading: Hashable {
        case answer(DNSAnswer)
        /// The answer to another query, or no answer at all.
        case other
        /// Nothing that could be parsed.
        case malformed
    }

    /// Reads a message that came from the server of `query`.
    static func read(_ message: [UInt8], to query: DNSQuery) -> Reading {
        var reader = ByteCursor(message[...])
        guard let header = reader.dnsHeader() else { return .malformed }
        guard header.identifier == query.identifier, header.isAnswer else { return .other }
        var answer = DNSAnswer(code: header.code, isTruncated: header.isTruncated)
        // Servers that refuse a query need not repeat it.
        guard header.questions > 0 || answer.code == Code.noError else { return .answer(answer) }
        guard header.questions == 1, let question = reader.dnsEntry() else { return .malformed }
        guard question.dnsClass == 1, question.type == query.type.rawValue,
            DNSQuery.lowercased(question.labels) == DNSQuery.lowercased(query.labels)
        else { return .other }
        answer.keepsCase = question.labels == query.labels
        // A cut message may end anywhere.
        let isWhole = answer.isTruncated || answer.readRecords(Int(header.answers), of: query, &reader)
        return isWhole ? .answer(answer) : .malformed
    }

    /// Finds the addresses; false if a record is malformed.
    private mutating func readRecords(_ count: Int, of query: DNSQuery, _ reader: inout ByteCursor) -> Bool {
        var aliases: [[[UInt8]]: (target: [[UInt8]], timeToLive: UInt32)] = [:]
        var found: [[[UInt8]]: [(address: IPAddress, timeToLive: UInt32)]] = [:]
        for _ in 0..<count {
            guard let record = reader.dnsRecord() else { return false }
            let (owner, type, data) = (DNSQuery.lowercased(record.owner.labels), record.owner.type, record.data)
            guard record.owner.dnsClass == 1 else { continue }
            // Values with the first bit set mean zero (RFC 2181 section 8).
            let timeToLive = record.timeToLive > UInt32(Int32.max) ? 0 : record.timeToLive
            if type == 5 {
                // An alias may point at names before it.
                guard let target = reader.dnsName(in: data) else { return false }
                aliases[owner] = (DNSQuery.lowercased(target), timeToLive)
            } else if type == query.type.rawValue {
                guard data.count == (query.type == .a ? 4 : 16), let address = IPAddress(bytes: Array(data)) else {
                    return false
                }
                found[owner, default: []].append((address, timeToLive))
            }
        }
        var name = DNSQuery.lowercased(query.labels)
        var minimum: [UInt32] = []
        // At most as many steps as records, so that a loop of aliases ends too.
        for _ in 0..<count {
            guard found[name] == nil, let alias = aliases[name] else { break }
            minimum.append(alias.timeToLive)
            name = alias.target
        }
        guard let records = found[name] else { return true }
        addresses = records.map(\.address)
        timeToLive = (minimum + records.map(\.timeToLive)).min()
        return true
    }
}

extension Observation {
    /// The observation from an answer that came after `elapsed`.
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
