// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import TestKit
import Testing

@testable import SocketServing

/// A server at a unix socket, and what its clients receive, byte for byte.
@Suite final class HTTPServerTests {
    private let loop: EventLoop
    private let files: TemporaryDirectory
    private let record: LoopRecord<String>

    init() throws {
        loop = try EventLoop.start()
        files = try TemporaryDirectory()
        record = try LoopRecord()
    }

    deinit { loop.stop() }

    private var path: String { "\(files.path)/socket" }

    /// Serves: "/later" once a request for "/now" has come, "/stream" in pieces, "/endless" without an end, and the
    /// request's line and body for every other target.
    private func serve(
        connections: Int = 8,
        idle: Duration = .seconds(600),
        answerSize: Int? = nil
    ) throws -> LoopBound<HTTPServer?> {
        let socket = try ListeningSocket.bound(to: path)
        #expect(listen(socket, 64) == 0)
        let limits = ServedConnections.Limits(connections: connections, idle: idle)
        return try loop.perform { [loop, record] in
            nonisolated(unsafe) var later: [() -> Void] = []
            let server = try? HTTPServer(socket, on: loop, limits, longestBody: 20) {
                request,
                connection,
                connections in
                record.add(request.target)
                connections.renew(connection)
                let body = request.body.map { String(decoding: $0, as: UTF8.self) } ?? "too long"
                var answer = Array("\(request.method) \(request.target) \(body)".utf8)
                if let answerSize { answer = [UInt8](repeating: 7, count: answerSize) }
                let fields = [("Content-Length", "\(answer.count)")]
                switch request.target {
                case "/later":
                    connections.keep(connection)
                    later.append {
                        connections.renew(connection)
                        connection.answer(200, fields, body: answer)
                    }
                case "/nothing": connection.answer(204, [("Cache-Control", "no-store")])
                case "/stream":
                    connections.keep(connection)
                    connection.begin(200, [("A", "b")], body: Pieces(connection, ["one", "", "three four five six"]))
                case "/file":
                    let pieces = Pieces(connection, ["ab", "cd"])
                    connection.begin(200, [("Content-Length", "4")], length: 4, body: pieces)
                case "/endless":
                    connections.keep(connection) { connection.end(closes: true) }
                    connection.begin(200, [], body: Pieces(connection, ["x"], isEndless: true, record))
                default: connection.answer(200, fields, body: answer)
                }
                if request.target == "/now" {
                    for answer in later { answer() }
                    later = []
                }
            }
            return LoopBound(server, on: loop)
        }
    }

    private func client() throws -> Client { try Client(path) }

    /// What a client receives that sends these bytes, and then its end unless it waits.
    private func exchange(_ text: String, ends: Bool = true) throws -> String {
        let client = try client()
        try client.send(text)
        if ends { client.endOutput() }
        return try client.receiveToEnd()
    }

    @Test func answersAsOftenAsItIsAsked() throws {
        _ = try serve()
        let client = try client()
        for number in 0..<3 {
            try client.send("PUT /\(number) HTTP/1.1\r\nContent-Length: 2\r\n\r\nab")
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nPUT /\(number) ab"
            #expect(try client.receive(answer.utf8.count) == answer)
        }
        try client.send("GET /nothing HTTP/1.1\r\nConnection: close\r\n\r\nGET /ignored HTTP/1.1\r\n\r\n")
        let last = "HTTP/1.1 204 No Content\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
        #expect(try client.receiveToEnd() == last)
        #expect(record.all == ["/0", "/1", "/2", "/nothing"])
    }

    @Test func answersInTheOrderOfTheRequests() throws {
        _ = try serve()
        let client = try client()
        try client.send("GET /later HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\nBAD\r\n\r\nGET /c HTTP/1.1\r\n\r\n")
        _ = try record.first(1)
        #expect(try exchange("GET /now HTTP/1.1\r\n\r\n").hasSuffix("GET /now "))
        #expect(
            try client.receiveToEnd()
                == "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nGET /later HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nGET /b "
                + "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        )
        #expect(record.all == ["/later", "/now", "/b"])
    }

    @Test func writesABodyInChunksOrOfALength() throws {
        _ = try serve()
        let chunks = "3\r\none\r\n13\r\nthree four five six\r\n0\r\n\r\n"
        let head = "HTTP/1.1 200 OK\r\nA: b\r\ntransfer-encoding: chunked\r\n\r\n"
        let client = try client()
        for _ in 0..<2 {
            try client.send("GET /stream HTTP/1.1\r\n\r\n")
            #expect(try client.receive((head + chunks).utf8.count) == head + chunks)
        }
        let file = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nabcd"
        #expect(try exchange("GET /file HTTP/1.1\r\n\r\n", ends: false) == file)
    }

    @Test func writesNoBodyForAnAnswerToHEAD() throws {
        _ = try serve()
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n"
        #expect(try exchange("HEAD /a HTTP/1.1\r\n\r\nHEAD /b HTTP/1.1\r\n\r\n") == answer + answer)
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", false), ("GET / HTTP/1.1\r\nConnection: close\r\n\r\n", true),
        ("GET / HTTP/1.0\r\n\r\n", true), ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false),
    ])
    func closesAsTheClientWishes(request: String, closes: Bool) throws {
        _ = try serve()
        let answer = try exchange(request, ends: !closes)
        #expect(answer == "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\(closes ? "Connection: close\r\n" : "")\r\nGET / ")
    }

    /// It has asked, and waits: the end of its requests is not the end of the connection.
    @Test func answersAClientThatHasEndedItsRequests() throws {
        _ = try serve()
        let client = try client()
        try client.send("GET /later HTTP/1.1\r\n\r\n")
        client.endOutput()
        _ = try record.first(1)
        _ = try exchange("GET /now HTTP/1.1\r\n\r\n")
        #expect(try client.receiveToEnd().hasSuffix("GET /later "))
        #expect(try exchange("GET /half HTTP/1.1\r\n").isEmpty)
    }

    @Test func keepsNoBodyThatIsTooLong() throws {
        _ = try serve()
        let answer = try exchange("PUT / HTTP/1.1\r\nContent-Length: 21\r\n\r\n\(String(repeating: "x", count: 21))")
        #expect(answer.hasSuffix("PUT / too long"))
    }

    @Test func endsTheConnectionThatHasWaitedLongest() throws {
        _ = try serve(connections: 3)
        let clients = try (0..<3).map { _ in try client() }
        for index in [1, 0, 2] {
            try clients[index].send("GET /\(index) HTTP/1.1\r\n\r\n")
            _ = try clients[index].receive(45)
        }
        let other = try client()
        #expect(try clients[1].receiveToEnd().isEmpty)
        for client in [clients[0], clients[2], other] {
            try client.send("GET /x HTTP/1.1\r\nConnection: close\r\n\r\n")
            #expect(try client.receiveToEnd().hasSuffix("GET /x "))
        }
    }

    @Test func endsIdleConnectionsAndNoWaitingOnes() throws {
        _ = try serve(idle: .milliseconds(100))
        let (waiting, slow) = (try client(), try client())
        try waiting.send("GET /later HTTP/1.1\r\n\r\n")
        try slow.send("GET / HTTP/1.1\r\nA:")
        #expect(try slow.receiveToEnd().isEmpty)
        #expect(try exchange("", ends: false).isEmpty)
        _ = try exchange("GET /now HTTP/1.1\r\n\r\n")
        #expect(try waiting.receiveToEnd().hasSuffix("GET /later "))
    }

    /// What it asks for would fill the memory.
    @Test func readsNoMoreOfAClientThatDoesNotRead() throws {
        _ = try serve(answerSize: 100_000)
        let (greedy, count) = (try client(), 2000)
        let request = "GET /a HTTP/1.1\r\n\r\n"
        let sender = try PosixThread.start { try? greedy.send(String(repeating: request, count: count)) }
        // It is served until the kernel accepts no more of the answers.
        _ = try record.first(2)
        _ = try exchange("GET /last HTTP/1.1\r\n\r\n")
        #expect(record.all.count < 100)
        // And goes on when it reads.
        _ = try greedy.receive(count * 100_040)
        sender.join()
        #expect(record.all.filter { $0 == "/a" }.count == count)
    }

    @Test func stopsABodyWhoseClientLeaves() throws {
        let server = try serve()
        var client: Client? = try client()
        try client?.send("GET /endless HTTP/1.1\r\n\r\n")
        _ = try client?.receive(53)
        client = nil
        #expect(try record.first(2) == ["/endless", "stopped"])
        // One that reads no more, and one that the server ends.
        let (deaf, last) = (try self.client(), try self.client())
        try deaf.send("GET /endless HTTP/1.1\r\n\r\n")
        deaf.endOutput()
        #expect(try record.first(4).last == "stopped")
        try last.send("GET /endless HTTP/1.1\r\n\r\n")
        _ = try record.first(5)
        try loop.perform { server.value?.close() }
        #expect(try last.receiveToEnd() == "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n")
        #expect(throws: SystemError.self) { try self.client() }
    }
}

/// A body whose pieces are known.
private final class Pieces: HTTPBody {
    private let connection: HTTPConnection
    private var rest: [String]
    private let isEndless: Bool
    private let record: LoopRecord<String>?

    init(
        _ connection: HTTPConnection,
        _ pieces: [String],
        isEndless: Bool = false,
        _ record: LoopRecord<String>? = nil
    ) {
        (self.connection, rest, self.isEndless, self.record) = (connection, pieces, isEndless, record)
    }

    func advance() {
        while !rest.isEmpty {
            let piece = rest.removeFirst()
            guard piece.isEmpty else { return connection.write(Array(piece.utf8)[...]) }
        }
        if !isEndless { connection.end() }
    }

    func stop() { record?.add("stopped") }
}

/// A client of a unix socket. Each of its calls ends.
private final class Client: Sendable {
    private let connection: UnixConnection

    init(_ path: String) throws {
        connection = try UnixConnection(to: path, limit: 60)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(connection.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { connection.close() }

    func send(_ text: String) throws { connection.send(Array(text.utf8)) }

    func endOutput() { shutdown(connection.descriptor, CInt(SHUT_WR)) }

    /// Receives so many bytes, or all until the end.
    func receive(_ count: Int) throws -> String {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while all.count < count {
            let received = recv(connection.descriptor, &buffer, min(buffer.count, count - all.count), 0)
            guard received > 0 else {
                // The end of a connection with bytes that nobody read.
                try #require(received == 0 || errno == ECONNRESET, "errno \(errno)")
                break
            }
            all += buffer[..<received]
        }
        return String(decoding: all, as: UTF8.self)
    }

    func receiveToEnd() throws -> String { try receive(.max) }
}
