// SPDX-License-Identifier: Apache-2.0

import InternetAddresses

/// A server's answer to a query.
struct DNSAnswer: Hashable {
    /// The outcomes that matter here (RFC 1035 section 4.1.1); others are kept as numbers.
    enum Code {
        static let noError: UInt8 = 0
        static let formatError: UInt8 = 1
        static let serverFailure: UInt8 = 2
        static let nameError: UInt8 = 3
        static let notImplemented: UInt8 = 4
        static let refused: UInt8 = 5
    }

    /// The outcome.
    var code: UInt8
    /// Whether more would have come over TCP.
    var isTruncated: Bool
    /// Whether the server repeated the name letter by letter.
    var keepsCase: Bool
    /// The addresses of the name, or of the name that it stands for.
    var addresses: [IPAddress]
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
        var reader = DNSReader(message)
        do throws(DNSReader.Malformation) {
            let identifier = try reader.readUInt16()
            let flags = try reader.readUInt16()
            let counts = try (reader.readUInt16(), reader.readUInt16())
            _ = try reader.readUInt32()
            guard identifier == query.identifier, flags & 0x8000 != 0 else { return .other }
            var answer = DNSAnswer(
                code: UInt8(flags & 0xF),
                isTruncated: flags & 0x0200 != 0,
                keepsCase: true,
                addresses: []
            )
            // Servers that refuse a query need not repeat it.
            guard counts.0 > 0 || answer.code == Code.noError else { return .answer(answer) }
            guard counts.0 == 1 else { return .malformed }
            let name = try reader.readName()
            let type = try reader.readUInt16()
            guard try reader.readUInt16() == 1, type == query.type.rawValue,
                DNSQuery.lowercased(name) == DNSQuery.lowercased(query.labels)
            else { return .other }
            answer.keepsCase = name == query.labels
            // A cut message may end anywhere.
            guard !answer.isTruncated else { return .answer(answer) }
            try answer.readRecords(Int(counts.1), of: query, &reader)
            return .answer(answer)
        } catch {
            return .malformed
        }
    }

    private mutating func readRecords(
        _ count: Int,
        of query: DNSQuery,
        _ reader: inout DNSReader
    ) throws(DNSReader.Malformation) {
        var aliases: [[[UInt8]]: (target: [[UInt8]], timeToLive: UInt32)] = [:]
        var found: [[[UInt8]]: [(address: IPAddress, timeToLive: UInt32)]] = [:]
        for _ in 0..<count {
            let owner = DNSQuery.lowercased(try reader.readName())
            let (type, dnsClass) = try (reader.readUInt16(), reader.readUInt16())
            // Values with the first bit set mean zero (RFC 2181 section 8).
            let time = try reader.readUInt32()
            let timeToLive = time > UInt32(Int32.max) ? 0 : time
            let length = try Int(reader.readUInt16())
            let end = reader.position + length
            if dnsClass == 1, type == 5 {
                aliases[owner] = (DNSQuery.lowercased(try reader.readName()), timeToLive)
                guard reader.position == end else { throw DNSReader.Malformation() }
            } else {
                let data = try reader.readBytes(length)
                guard dnsClass == 1, type == query.type.rawValue else { continue }
                guard let address = IPAddress(bytes: data), length == (query.type == .a ? 4 : 16) else {
                    throw DNSReader.Malformation()
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
        guard let records = found[name] else { return }
        addresses = records.map(\.address)
        timeToLive = (least + records.map(\.timeToLive)).min()
    }
}
