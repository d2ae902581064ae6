// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import TestKit
import Testing

@testable import CapturedPackets

/// DNS messages in a capture.
@Suite struct DNSMessageTests {
    private static let question: [UInt8] = [
        3, 0x77, 0x77, 0x77, 2, 0x6F, 0x6B, 4, 0x74, 0x65, 0x73, 0x74, 0, 0, 1, 0, 1,
    ]
    private static let query: [UInt8] = [0xAB, 0xCD, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1] + question
    /// An alias of `www.ok.test`, and the addresses of `ok.test`.
    private static let answer: [UInt8] =
        [0xAB, 0xCD, 0x81, 0x80, 0, 1, 0, 3, 0, 0, 0, 0] + question + [
            0xC0, 12, 0, 5, 0, 1, 0, 0, 0, 9, 0, 2, 0xC0, 16,
        ]
        + [0xC0, 16, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 1]
        + [0xC0, 16, 0, 28, 0, 1, 0, 0, 0, 9, 0, 16, 0x20, 1, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1]

    @Test func readsQueriesAndAnswers() throws {
        let query = try #require(DNSMessage(Self.query))
        #expect(query.identifier == 0xABCD && !query.isAnswer && query.addresses.isEmpty)
        #expect(query.questions == [DNSMessage.Question(name: "www.ok.test", type: 1)])
        let answer = try #require(DNSMessage(Self.answer))
        #expect(answer.isAnswer && answer.code == 0 && answer.questions == query.questions)
        #expect(answer.addresses.map(\.name) == ["ok.test", "ok.test"])
        #expect(answer.addresses.map(\.address) == [IPAddress("192.0.2.1"), IPAddress("2001:db8::1")])
    }

    @Test func readsWhatIsLeftOfACutAnswer() throws {
        let answer = try #require(DNSMessage(Array(Self.answer.dropLast(5))))
        #expect(answer.addresses.map(\.address) == [IPAddress("192.0.2.1")])
    }

    @Test func followsNoPointerForward() {
        var loop = Self.query
        loop.replaceSubrange(12..<14, with: [0xC0, 12])
        #expect(DNSMessage(loop) == nil)
        #expect(DNSMessage([]) == nil && DNSMessage([UInt8](repeating: 255, count: 40)) == nil)
    }

    /// 255 bytes on the wire, with the zero at the end (RFC 1035, section 2.3.4).
    @Test func readsTheLongestNameAndNoLongerOne() {
        func query(lastLabel: Int) -> [UInt8] {
            let labels = [63, 63, 63, lastLabel].flatMap { [UInt8($0)] + [UInt8](repeating: 0x61, count: $0) }
            return Array(Self.query.prefix(12)) + labels + [0, 0, 1, 0, 1]
        }
        #expect(DNSMessage(query(lastLabel: 61))?.questions.first?.name.utf8.count == 253)
        #expect(DNSMessage(query(lastLabel: 62)) == nil)
    }

    @Test func isBoundedForAnyBytes() {
        var inputs = FuzzedInputs([Self.query, Self.answer], seed: 5)
        var read = 0
        for _ in 0..<FuzzedInputs.count {
            let bytes = inputs.next()
            guard let message = DNSMessage(bytes) else { continue }
            read += 1
            if message.addresses.count > bytes.count / 16 || message.questions.contains(where: { $0.name.count > 255 })
            {
                Issue.record("\(bytes) is taken for \(message)")
            }
        }
        #expect(read > FuzzedInputs.count / 10)
    }
}
