// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import ClientTraffic
import Testing

@testable import TestPackets

/// TLS handshakes, as far as they are in the clear.
@Suite struct TLSHandshakeTests {
    private static func record(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
        [type, 3, 3] + TestPacket.word(content.count) + content
    }

    private static func message(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        [type, 0] + TestPacket.word(body.count) + body
    }

    private static func extensions(_ all: [(Int, [UInt8])]) -> [UInt8] {
        let bytes = all.flatMap { TestPacket.word($0.0) + TestPacket.word($0.1.count) + $0.1 }
        return TestPacket.word(bytes.count) + bytes
    }

    /// A ClientHello with a large key before the name, as for post-quantum key exchange.
    private static let clientHello: [UInt8] = {
        let name = Array("search.test".utf8)
        let list = [0] + TestPacket.word(name.count) + name
        let named = TestPacket.word(list.count) + list
        let body = [3, 3] + [UInt8](repeating: 7, count: 32) + [1, 9, 0, 2, 0x13, 1, 1, 0]
        return record(22, message(1, body + extensions([(51, [UInt8](repeating: 5, count: 1500)), (0, named)])))
    }()

    private static func serverHello(isVersion13: Bool) -> [UInt8] {
        let body = [3, 3] + [UInt8](repeating: 8, count: 32) + [0, 0x13, 1, 0]
        return record(22, message(2, body + extensions([(51, [1, 2]), (43, [3, 4])].dropLast(isVersion13 ? 0 : 1))))
    }

    /// A client that has sent its hello in two segments, and the server's answer to it.
    private func greeted(isVersion13: Bool, rest: [UInt8] = []) -> TestCapture {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 20)
        let hello = Self.clientHello
        capture.client(.data, 1001, ack: 1, Array(hello.dropFirst(1000)), at: 41)
        capture.client(.data, 1, ack: 1, Array(hello.prefix(1000)), at: 42)
        capture.server(.data, 1, ack: 1, Self.serverHello(isVersion13: isVersion13) + rest, at: 70)
        return capture
    }

    private let next = UInt32(clientHello.count + 1)

    @Test func readsTheNameAndTheVersion() throws {
        let new = try #require(greeted(isVersion13: true).connection)
        #expect(new.serverName == "search.test" && new.tlsVersion == "TLS 1.3" && new.secured == nil)
        #expect(try #require(greeted(isVersion13: false).connection).tlsVersion == "TLS 1.2")
    }

    @Test func isSecuredWhenTheClientFinishes() throws {
        let encrypted = Self.record(20, [1]) + Self.record(23, [UInt8](repeating: 1, count: 900))
        var capture = greeted(isVersion13: true, rest: encrypted)
        #expect(try #require(capture.connection).secured == nil)
        let finished = Self.record(20, [1]) + Self.record(23, [UInt8](repeating: 2, count: 53))
        capture.client(.data, next, ack: 900, finished, at: 95)
        #expect(try #require(capture.connection).secured?.number == 6)
    }

    /// Neither early data nor an alert.
    @Test func isNotSecuredByWhatElseIsEncrypted() throws {
        var capture = greeted(isVersion13: true)
        capture.client(.data, next, ack: 1, Self.record(23, [UInt8](repeating: 2, count: 500)), at: 60)
        capture.client(.data, next + 505, ack: 900, Self.record(23, [UInt8](repeating: 2, count: 19)), at: 95)
        #expect(try #require(capture.connection).secured == nil)
    }

    @Test func isSecuredByTheServersFinishedInOlderVersions() throws {
        var capture = greeted(isVersion13: false, rest: Self.record(22, Self.message(11, [1, 2, 3])))
        let begin = UInt32(1 + Self.serverHello(isVersion13: false).count + 12)
        capture.client(.data, next, ack: 1, Self.record(20, [1]) + Self.record(22, [9, 9, 9]), at: 95)
        capture.server(.data, begin, ack: 1, Self.record(20, [1]) + Self.record(22, [9, 9, 9]), at: 115)
        let connection = try #require(capture.connection)
        #expect(connection.secured?.number == 7 && connection.secured?.deliveredAt == 135)
    }

    @Test func readsNoNameThatATerminalWouldObey() throws {
        var capture = TestCapture()
        var hello = Self.clientHello
        hello[hello.count - 1] = 0x1B
        capture.client(.data, 1, ack: 1, hello, at: 0)
        #expect(try #require(capture.connection).serverName == nil)
    }
}
