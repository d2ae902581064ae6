// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import Probing

@Suite struct DNSMessageTests {
    /// Never changes a letter's case, and gives the identifier zero.
    private struct Zeros: RandomNumberGenerator {
        func next() -> UInt64 { 0 }
    }

    private static func query(_ name: String, _ type: DNSQuestion.RecordType = .a) throws -> DNSQuery {
        var zeros = Zeros()
        return try #require(DNSQuery(DNSQuestion(name, type), using: &zeros))
    }

    private static let question: [UInt8] = [2, 0x6F, 0x6B, 4, 0x74, 0x65, 0x73, 0x74, 0, 0, 1, 0, 1]

    /// An answer to `ok.test`.
    private static func answer(
        flags: UInt16 = 0x8180,
        records: [[UInt8]] = [],
        question: [UInt8] = question
    ) -> [UInt8] {
        [0, 0, UInt8(flags >> 8), UInt8(flags & 0xFF), 0, 1, 0, UInt8(records.count), 0, 0, 0, 0] + question
            + records.joined()
    }

    private static func record(
        _ data: [UInt8],
        type: UInt8 = 1,
        ttl: [UInt8] = [0, 0, 0, 30],
        owner: [UInt8] = [0xC0, 12]
    ) -> [UInt8] {
        owner + [0, type, 0, 1] + ttl + [0, UInt8(data.count)] + data
    }

    @Test func writesAQueryAsTheRFCSays() throws {
        let header: [UInt8] = [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1]
        let extensionRecord: [UInt8] = [0, 0, 41, 0x04, 0xD0, 0, 0, 0, 0, 0, 0]
        #expect(try Self.query("ok.test.").bytes == header + Self.question + extensionRecord)
        var zeros = Zeros()
        let plain = try #require(DNSQuery(DNSQuestion("ok.test", .aaaa), hasExtension: false, using: &zeros))
        #expect(plain.bytes.suffix(4) == [0, 28, 0, 1])
        #expect(plain.bytes[11] == 0)
    }

    @Test func changesTheCaseOfLettersOnly() throws {
        var random = SystemRandomNumberGenerator()
        let name = String(repeating: "ab-1", count: 15)
        let query = try #require(DNSQuery(DNSQuestion(name, .a), using: &random))
        #expect(query.labels != [Array(name.utf8)])
        #expect(DNSQuery.lowercased(query.labels) == [Array(name.utf8)])
    }

    @Test(arguments: [
        "", ".", "a..b", ".a", String(repeating: "a", count: 64),
        Array(repeating: "abcdefgh", count: 29).joined(separator: "."),
    ])
    func refusesWhatCannotBeAName(_ name: String) {
        var zeros = Zeros()
        #expect(DNSQuery(DNSQuestion(name, .a), using: &zeros) == nil)
    }

    @Test func readsAddressesThroughAliases() throws {
        let target: [UInt8] = [1, 0x78, 0xC0, 15]  // x.test
        let message = Self.answer(records: [
            Self.record([192, 0, 2, 9], ttl: [0, 0, 0, 5]),
            Self.record([192, 0, 2, 1], ttl: [0, 0, 1, 0], owner: target),
            Self.record([192, 0, 2, 2], ttl: [0, 0, 2, 0], owner: target),
        ])
        guard case .answer(let plain) = DNSAnswer.read(message, to: try Self.query("ok.test")) else {
            Issue.record("no answer")
            return
        }
        #expect(plain.addresses == [IPAddress(literal: "192.0.2.9")])
        #expect(plain.timeToLive == 5)

        let aliased = Self.answer(records: [
            Self.record(target, type: 5, ttl: [0, 0, 0, 7]), Self.record([192, 0, 2, 1], owner: target),
        ])
        guard case .answer(let answer) = DNSAnswer.read(aliased, to: try Self.query("ok.test")) else {
            Issue.record("no answer")
            return
        }
        #expect(answer.addresses == [IPAddress(literal: "192.0.2.1")])
        #expect(answer.timeToLive == 7)
    }

    @Test func survivesAliasesAndPointersThatLeadBack() throws {
        let query = try Self.query("ok.test")
        let alias = Self.answer(records: [Self.record([0xC0, 12], type: 5), Self.record([0xC0, 12], type: 5)])
        guard case .answer(let answer) = DNSAnswer.read(alias, to: query) else {
            Issue.record("no answer")
            return
        }
        #expect(answer.addresses.isEmpty)
        let start = UInt8(Self.answer().count)
        for target in [start, start + 2, 0xFF] {
            let loop = Self.answer(records: [Self.record([192, 0, 2, 1], owner: [0xC0, target])])
            #expect(DNSAnswer.read(loop, to: query) == .malformed)
        }
    }

    @Test func passesOverWhatBelongsToAnotherQuery() throws {
        let query = try Self.query("ok.test")
        #expect(DNSAnswer.read([0, 1] + Self.answer().dropFirst(2), to: query) == .other)
        #expect(DNSAnswer.read(Self.answer(flags: 0x0100), to: query) == .other)
        #expect(DNSAnswer.read(Self.answer(), to: try Self.query("no.test")) == .other)
        #expect(DNSAnswer.read(Self.answer(), to: try Self.query("ok.test", .aaaa)) == .other)
    }

    @Test func notesThatTheCaseWasChanged() throws {
        let message = Self.answer(question: Self.question.map { $0 == 0x6F ? 0x4F : $0 })
        guard case .answer(let answer) = DNSAnswer.read(message, to: try Self.query("ok.test")) else {
            Issue.record("no answer")
            return
        }
        #expect(!answer.keepsCase)
    }

    @Test func takesEveryCutMessageForMalformed() throws {
        let query = try Self.query("ok.test")
        let message = Self.answer(records: [Self.record([192, 0, 2, 1])])
        for count in 0..<message.count {
            #expect(DNSAnswer.read(Array(message.prefix(count)), to: query) == .malformed)
        }
    }

    @Test func neverFailsOnGarbage() throws {
        let query = try Self.query("ok.test")
        let whole = Self.answer(records: [Self.record([1, 0x78, 0xC0, 15], type: 5), Self.record([192, 0, 2, 1])])
        var readable = 0
        for _ in 0..<20_000 {
            var message = whole
            for _ in 0..<Int.random(in: 1...4) {
                message[Int.random(in: 0..<message.count)] = UInt8.random(in: 0...255)
            }
            if case .answer = DNSAnswer.read(message, to: query) { readable += 1 }
            let noise = (0..<Int.random(in: 0...80)).map { _ in UInt8.random(in: 0...255) }
            _ = DNSAnswer.read(noise, to: query)
            _ = DNSAnswer.read(Self.answer() + noise, to: query)
        }
        #expect(readable > 0)
    }
}
