// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import CapturedPackets
import DecryptedStreams
import TestKit
import Testing

@testable import ClientTraffic
@testable import TestPackets

/// Requests in TLS whose keys are in the capture.
@Suite struct TLSContentTests {
    typealias Settings = TLSSession.Settings

    private static let get = "GET /a HTTP/1.1\r\nHost: api.test\r\n\r\n"
    private static let post = "POST /b HTTP/1.1\r\nHost: api.test\r\nContent-Length: 3\r\n\r\nabc"
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func session(_ settings: Settings = Settings(), snap: Int = .max) throws -> TLSSession {
        var capture = TestCapture(decoders: CaptureDecoders())
        capture.snap = snap
        return try TLSSession(settings, in: capture)
    }

    /// A connection with a request, its answer and another request.
    private static func talk(_ session: TLSSession) throws {
        try session.connect()
        session.send(get, from: .client)
        session.send(answer, from: .server)
        session.send(post, from: .client)
    }

    private static func hidden(_ session: TLSSession) throws -> String? {
        try #require(session.capture.connection).hiddenRequests
    }

    @Test(arguments: Settings.read)
    func readsRequestsAndAnswers(settings: Settings) throws {
        let session = try Self.session(settings)
        try Self.talk(session)
        let connection = try #require(session.capture.connection)
        #expect(connection.requests.map(\.method) == ["GET", "POST"])
        #expect(connection.requests.map(\.target) == ["/a", "/b"])
        #expect(connection.requests.map(\.host) == ["api.test", "api.test"])
        #expect(connection.requests.map(\.status) == [200, nil])
        let first = try #require(connection.requests.first)
        let answer = try #require(first.answer)
        #expect(first.packet.number < answer.number && first.completed == answer)
        var body = ObservedRequest.Body()
        body.add(Array("abc".utf8)[...])
        #expect(connection.requests.last?.body == body)
        #expect(connection.hiddenRequests == nil && connection.tls?.obstacle == nil && connection.secured != nil)
    }

    /// A record of many packets, in any order, and the first segment of the answer sent again.
    @Test func readsLongMessages() throws {
        let session = try Self.session()
        try session.connect()
        let long = [UInt8](repeating: 7, count: 300_000)
        session.send(Array("POST / HTTP/1.1\r\nContent-Length: 300000\r\n\r\n".utf8) + long, from: .client)
        session.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n".utf8) + long, from: .server)
        session.send(Self.get, from: .client)
        let connection = try #require(session.capture.connection)
        #expect(connection.requests.map(\.method) == ["POST", "GET"] && connection.requests.first?.completed != nil)
        var body = ObservedRequest.Body()
        body.add(long[...])
        #expect(connection.requests.first?.body == body && connection.hiddenRequests == nil)
    }

    @Test func readsAfterNewKeys() throws {
        let session = try Self.session()
        try session.connect()
        for side in Connection.Side.both + [.client] {
            session.updateKeys(side)
            session.send(Self.get, from: .client)
            session.send(Self.answer, from: .server)
        }
        let connection = try #require(session.capture.connection)
        #expect(connection.requests.map(\.status) == [200, 200, 200] && connection.hiddenRequests == nil)
    }

    @Test func readsAfterASecondClientHello() throws {
        let session = try Self.session(Settings(serverGroup: "P-384"))
        try Self.talk(session)
        #expect(session.capture.connection?.requests.count == 2 && session.capture.traffic.connections.count == 1)
        #expect(try Self.hidden(session) == nil)
    }

    /// Requests before the handshake's end count where the server accepts them; else the client sends them once more.
    @Test(arguments: [true, false])
    func readsEarlyData(isAccepted: Bool) throws {
        let first = try Self.session()
        try Self.talk(first)
        let session = try TLSSession(in: TestCapture(decoders: CaptureDecoders()), resuming: first)
        try session.sendEarly(Self.get)
        if isAccepted { session.acceptEarly() }
        try session.connect()
        if !isAccepted { session.send(Self.get, from: .client) }
        session.send(Self.post, from: .client)
        session.send(Self.answer, from: .server)
        let connection = try #require(session.capture.connection)
        #expect(session.keys.contains("CLIENT_EARLY_TRAFFIC_SECRET"))
        #expect(connection.requests.map(\.method) == ["GET", "POST"])
        #expect(connection.requests.first?.status == 200 && connection.hiddenRequests == nil)
    }

    /// Where a library logs the secrets of the handshake is not said anywhere.
    @Test func readsWithoutTheSecretsOfTheHandshake() throws {
        let session = try Self.session()
        session.logsKeys = false
        try session.connect()
        let lines = session.keys.split(separator: "\n").filter { !$0.contains("HANDSHAKE") }.joined(separator: "\n")
        session.addKeys(lines + "\n")
        session.send(Self.get, from: .client)
        session.send(Self.answer, from: .server)
        #expect(session.capture.connection?.requests.map(\.status) == [200])
        #expect(try Self.hidden(session) == nil)
    }

    @Test(arguments: Settings.read)
    func readsWhatCameBeforeItsKeys(settings: Settings) throws {
        let session = try Self.session(settings)
        session.logsKeys = false
        try Self.talk(session)
        let words = try #require(try Self.hidden(session))
        #expect(words.contains("cannot be seen") && words.contains("set SSLKEYLOGFILE, or expect connections or bytes"))
        #expect(session.capture.connection?.requests == [])
        session.addKeys(session.keys)
        for _ in 0..<2 {
            #expect(session.capture.connection?.requests.map(\.status) == [200, nil])
            #expect(try Self.hidden(session) == nil)
        }
        session.send(Self.get, from: .client)
        #expect(session.capture.connection?.requests.count == 3)
    }

    @Test func givesUpOnKeysThatComeLate() throws {
        let session = try Self.session()
        session.logsKeys = false
        try session.connect()
        for _ in 0..<40 { session.send([UInt8](repeating: 7, count: 40_000), from: .client) }
        session.addKeys(session.keys)
        session.send(Self.get, from: .client)
        #expect(try #require(session.capture.connection).tls?.obstacle == .keysMissing)
        #expect(try #require(try Self.hidden(session)).contains("too late"))
    }

    /// The keys of others open nothing.
    @Test func readsNothingWithOtherKeys() throws {
        let other = try Self.session()
        try other.connect()
        let session = try Self.session()
        session.logsKeys = false
        try Self.talk(session)
        session.addKeys(other.keys)
        #expect(try #require(session.capture.connection).tls?.obstacle == .keysMissing)
        // A wrong secret of the right connection, too.
        session.addKeys(session.keys.replacing(/[0-9a-f]{8}\n/, with: "00000000\n"))
        let connection = try #require(session.capture.connection)
        #expect(connection.tls?.obstacle == .notOpened && connection.requests.isEmpty)
        #expect(try #require(connection.hiddenRequests).contains("do not open"))
    }

    @Test func readsNothingThatIsCut() throws {
        let session = try Self.session(snap: 100)
        try Self.talk(session)
        let connection = try #require(session.capture.connection)
        #expect(connection.tls?.obstacle == .recordsCut)
        #expect(
            try #require(connection.hiddenRequests).hasSuffix("not whole in the capture; expect connections or bytes")
        )
    }

    @Test func readsNoOtherSuitesAndVersions() throws {
        let old = try Self.session(
            Settings(version: TLS1_2_VERSION, ciphers: "ECDHE-ECDSA-AES128-SHA256")
        )
        try Self.talk(old)
        #expect(try #require(old.capture.connection).tls?.obstacle == .cipherSuite(0xC023))
        #expect(try #require(try Self.hidden(old)).contains("0xC023"))
        #expect(old.capture.connection?.requests == [])
    }

    /// Without a request, none is hidden: with keys it is seen, and a handshake that failed held none.
    @Test func hidesNothingInAnIdleConnection() throws {
        let session = try Self.session()
        try session.connect()
        #expect(try Self.hidden(session) == nil)
        let failed = try Self.session()
        failed.begin()
        #expect(try Self.hidden(failed) == nil && failed.capture.connection?.firstRequest != nil)
    }

    @Test func tellsOtherProtocolsApart() throws {
        let session = try Self.session()
        try session.connect()
        session.send([0x10, 12, 0, 4], from: .client)
        #expect(try #require(try Self.hidden(session)).contains("is not HTTP"))
    }

    @Test func saysTheSameWhateverTheBytes() throws {
        var generator = SeededGenerator(seed: 5)
        for settings in Settings.read {
            let session = try Self.session(settings)
            try Self.talk(session)
            var counts: Set<Int> = []
            for _ in 0..<60 {
                var reader = TrafficReader(decoders: CaptureDecoders())
                var changed: [(Int, Int, UInt8)] = []
                for record in session.capture.records {
                    guard case .packet(var packet) = record, generator.isOne(in: 8), packet.bytes.count > 60 else {
                        reader.add(record)
                        continue
                    }
                    let index = Int.random(in: 40..<packet.bytes.count, using: &generator)
                    packet.bytes[index] ^= 1
                    changed.append((packet.bytes.count, index, packet.bytes[index]))
                    reader.add(.packet(packet))
                }
                let connections = reader.read().connections
                counts.insert(connections.reduce(0) { $0 + $1.requests.count })
                for connection in connections where connection.requests.count < 2 {
                    #expect(
                        connection.hiddenRequests != nil || connection.firstRequest == nil,
                        "\(connection.requests) \(String(describing: connection.tls)) \(changed)"
                    )
                }
            }
            #expect(counts.contains(0) && counts.contains(2) && counts.isSubset(of: [0, 1, 2]), "\(counts)")
        }
    }
}
