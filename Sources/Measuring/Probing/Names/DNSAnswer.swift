// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import InternetAddresses

struct DNSAnswer: Hashable {
    /// The response codes that are distinguished here (RFC 1035 section 4.1.1).
    enum Code {
        static let (noError, formatError, serverFailure) = (UInt8(0), UInt8(1), UInt8(2))
        static let (nameError, notImplemented, refused) = (UInt8(3), UInt8(4), UInt8(5))
    }

    var code: UInt8
    /// Whether the response was truncated, so that the query has to be repeated over TCP.
    var isTruncated: Bool
    /// Whether the response repeats the name with the same upper and lower case letters.
    var keepsCase = true
    /// The addresses of the name, or of the name to which it is an alias.
    var addresses: [IPAddress] = []
    /// The lowest time to live among the aliases and addresses, in seconds; nil without an address.
    var timeToLive: UInt32?

    /// The result of reading a message that may be the response to a query.
    enum Reading: Hashable {
        case answer(DNSAnswer)
        /// A response to another query, or a message that is not a response.
        case other
        /// A message that could not be parsed.
        case malformed
    }

    /// Reads a message that came from the server to which `query` was sent.
    static func read(_ message: [UInt8], to query: DNSQuery) -> Reading {
        var reader = ByteCursor(message[...])
        guard let header = reader.dnsHeader() else { return .malformed }
        guard header.identifier == query.identifier, header.isAnswer else { return .other }
        var answer = DNSAnswer(code: header.code, isTruncated: header.isTruncated)
        // A server that refuses a query need not repeat the question.
        guard header.questions > 0 || answer.code == Code.noError else { return .answer(answer) }
        guard header.questions == 1, let question = reader.dnsEntry() else { return .malformed }
        guard question.dnsClass == 1, question.type == query.type.rawValue,
            DNSQuery.lowercased(question.labels) == DNSQuery.lowercased(query.labels)
        else { return .other }
        answer.keepsCase = question.labels == query.labels
        // A truncated message may end anywhere.
        let isWhole = answer.isTruncated || answer.readRecords(Int(header.answers), of: query, &reader)
        return isWhole ? .answer(answer) : .malformed
    }

    /// Reads the records and stores the addresses and time to live; false if a record is malformed.
    private mutating func readRecords(_ count: Int, of query: DNSQuery, _ reader: inout ByteCursor) -> Bool {
        var aliases: [[[UInt8]]: (target: [[UInt8]], timeToLive: UInt32)] = [:]
        var found: [[[UInt8]]: [(address: IPAddress, timeToLive: UInt32)]] = [:]
        for _ in 0..<count {
            guard let record = reader.dnsRecord() else { return false }
            let (owner, type, data) = (DNSQuery.lowercased(record.owner.labels), record.owner.type, record.data)
            guard record.owner.dnsClass == 1 else { continue }
            // A time to live with the first bit set counts as zero (RFC 2181 section 8).
            let timeToLive = record.timeToLive > UInt32(Int32.max) ? 0 : record.timeToLive
            if type == 5 {
                // The alias may be a compressed name, which points to earlier bytes of the message.
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
        var aliasLifetimes: [UInt32] = []
        // Follows at most `count` aliases, so that a loop of aliases ends.
        for _ in 0..<count {
            guard found[name] == nil, let alias = aliases[name] else { break }
            aliasLifetimes.append(alias.timeToLive)
            name = alias.target
        }
        guard let records = found[name] else { return true }
        addresses = records.map(\.address)
        timeToLive = (aliasLifetimes + records.map(\.timeToLive)).min()
        return true
    }
}

extension Observation {
    /// Makes the observation for a response that arrived after `elapsed`.
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
