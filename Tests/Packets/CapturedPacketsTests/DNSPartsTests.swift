// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Testing

/// A message's parts, one after the other: RFC 1035, section 4.1.
@Suite struct DNSPartsTests {
    private static let header: [UInt8] = [0x12, 0x34, 0x87, 0x83, 0, 1, 0, 2, 0, 0, 0, 1]
    private static let question: [UInt8] = [1, 0x61, 2, 0x4F, 0x6B, 0, 0, 28, 0, 1]
    /// An alias of the question's name for "x.Ok", which points into it.
    private static let alias: [UInt8] = [0xC0, 12, 0, 5, 0, 1, 0, 0, 1, 2, 0, 4, 1, 0x78, 0xC0, 14]

    private static let message = header + question + alias

    @Test func readsAndWritesAHeader() throws {
        var cursor = ByteCursor(Self.message[...])
        let read = cursor.dnsHeader()
        let header = try #require(read)
        #expect(header.identifier == 0x1234 && header.isAnswer && header.isTruncated && header.code == 3)
        #expect((header.questions, header.answers, header.authorities, header.additions) == (1, 2, 0, 1))
        #expect(header.bytes == Self.header && cursor.rest.startIndex == DNSHeader.length)
        let query = DNSHeader(identifier: 7, flags: 0x0100)
        #expect(query.bytes == [0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        #expect(!query.isAnswer && !query.isTruncated && query.code == 0)
    }

    @Test func readsAQuestionAndARecord() throws {
        var cursor = ByteCursor(Self.message[...])
        _ = cursor.dnsHeader()
        let entries = (cursor.dnsEntry(), cursor.dnsRecord())
        let (question, record) = (try #require(entries.0), try #require(entries.1))
        #expect(question.name == "a.Ok" && question.type == 28 && question.dnsClass == 1)
        #expect(record.owner.name == "a.Ok" && record.owner.type == 5 && record.timeToLive == 258)
        #expect(Array(record.data) == [1, 0x78, 0xC0, 14])
        #expect(cursor.dnsName(in: record.data) == [[0x78], [0x4F, 0x6B]])
        // Less than the data, and more.
        #expect(cursor.dnsName(in: record.data.dropLast()) == nil && cursor.dnsName(in: record.data.prefix(0)) == nil)
        #expect(cursor.rest.isEmpty && cursor.dnsRecord() == nil)
    }

    /// Cut anywhere, it has fewer parts.
    @Test func readsWhatIsThere() {
        for length in 0..<Self.message.count {
            var cursor = ByteCursor(Self.message[..<length])
            let hasHeader = cursor.dnsHeader() != nil
            let parts = [hasHeader, hasHeader && cursor.dnsEntry() != nil, hasHeader && cursor.dnsRecord() != nil]
            #expect(parts == [length >= 12, length >= 22, false], "\(length)")
        }
    }
}
