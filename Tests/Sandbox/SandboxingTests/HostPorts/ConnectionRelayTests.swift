// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Sandboxing

@Suite struct ConnectionRelayTests {
    @Test(arguments: LoopbackAddress.ofEachKind)
    func passesBytesBothWays(address: LoopbackAddress) throws {
        let relayed = try RelayedService(.tcp, at: address)
        let (client, server) = try relayed.connection()
        var request = ByteStream(length: 1 << 20)
        try request.pass(from: client, to: server)
        var answer = ByteStream(length: 1 << 20)
        try answer.pass(from: server, to: client)
        #expect(request.isComplete && answer.isComplete)
    }

    @Test func keepsConnectionsApart() throws {
        let relayed = try RelayedService(.tcp)
        let connections = try (0..<20).map { _ in try relayed.connection() }
        for (index, connection) in connections.enumerated() { try connection.client.send("client \(index)") }
        for (index, connection) in connections.enumerated().reversed() {
            #expect(try connection.server.receivedText() == "client \(index)")
            try connection.server.send("server \(index)")
        }
        for (index, connection) in connections.enumerated() {
            #expect(try connection.client.receivedText() == "server \(index)")
        }
    }

    @Test func passesTheEndOfTheRequestBeforeTheAnswer() throws {
        let relayed = try RelayedService(.tcp)
        let (client, server) = try relayed.connection()
        try client.send("request")
        client.endOutput()
        #expect(try server.receivedText() == "request")
        #expect(try server.receive().isEmpty)
        try server.send("answer")
        #expect(try client.receivedText() == "answer")
        server.endOutput()
        #expect(try client.receive().isEmpty)
    }

    @Test func passesTheEndOfTheAnswerBeforeTheRequest() throws {
        let relayed = try RelayedService(.tcp)
        let (client, server) = try relayed.connection()
        try server.send("greeting")
        server.endOutput()
        #expect(try client.receivedText() == "greeting")
        #expect(try client.receive().isEmpty)
        try client.send("request")
        #expect(try server.receivedText() == "request")
        client.endOutput()
        #expect(try server.receive().isEmpty)
    }

    @Test(arguments: [true, false])
    func losesNothingThatIsOnItsWayWhenBothEnd(clientEndsFirst: Bool) throws {
        // The kernel takes little of an answer, so that the relay has some of it when the end comes.
        let relayed = try RelayedService(.tcp, clientBuffer: 16384)
        for length in stride(from: 65536, through: 262_144, by: 32768) {
            let (client, server) = try relayed.connection()
            if clientEndsFirst {
                client.endOutput()
                #expect(try server.receive().isEmpty)
            }
            var answer = ByteStream(length: length)
            try answer.fill(server)
            server.endOutput()
            if !clientEndsFirst { client.endOutput() }
            try answer.receiveToEnd(from: client)
            #expect(answer.isComplete)
        }
    }

    @Test func readsNoMoreThanTheOtherSideTakes() throws {
        let relayed = try RelayedService(.tcp)
        let (client, server) = try relayed.connection()
        var answer = ByteStream(length: 64 << 20)
        try answer.fill(server)
        #expect(answer.sent > 0 && answer.sent < 32 << 20)
        // The other direction stays free.
        try client.send("still here")
        #expect(try server.receivedText() == "still here")
        try answer.pass(from: server, to: client)
        #expect(answer.isComplete)
    }

    @Test func resetsTheClientOfAServiceThatRefuses() throws {
        let relayed = try RelayedService(.tcp)
        shutdown(relayed.service.descriptor, CInt(SHUT_RD))
        let client = try relayed.client()
        #expect(throws: TestSocket.Failure(code: ECONNRESET)) { try client.receive() }
    }

    @Test(arguments: [true, false])
    func passesResets(ofTheClient: Bool) throws {
        let relayed = try RelayedService(.tcp)
        var (near, far): (TestSocket?, TestSocket) = try relayed.connection()
        if !ofTheClient { (near, far) = (far, try #require(near)) }
        try near?.send("last words")
        #expect(try far.receivedText() == "last words")
        near?.resetsWhenClosed()
        near = nil
        #expect(throws: TestSocket.Failure(code: ECONNRESET)) { try far.receive() }
    }

    @Test func passesWhatCameBeforeAReset() throws {
        let relayed = try RelayedService(.tcp)
        for _ in 0..<50 {
            var (client, server): (TestSocket, TestSocket?) = try relayed.connection()
            try server?.send("hello")
            #expect(try client.receivedText() == "hello")
            server?.resetsWhenClosed()
            try server?.send("last words")
            server = nil
            #expect(try client.receivedText() == "last words")
            #expect(throws: TestSocket.Failure(code: ECONNRESET)) { try client.receive() }
        }
    }

    @Test func passesAResetAfterAnEnd() throws {
        let relayed = try RelayedService(.tcp)
        var (near, far): (TestSocket?, TestSocket) = try relayed.connection()
        near?.endOutput()
        #expect(try far.receive().isEmpty)
        near?.resetsWhenClosed()
        near = nil
        // Writes before the reset arrives are lost; the next write fails.
        try far.wait(POLLHUP)
        #expect(throws: TestSocket.Failure(code: EPIPE)) { try far.send("answer") }
    }

    @Test func outlivesEveryWayToEnd() throws {
        let relayed = try RelayedService(.tcp)
        // What is sent may find the connection reset by the other end.
        let ends: [(TestSocket) -> Void] = [
            { _ in }, { $0.resetsWhenClosed() }, { $0.endOutput() }, { try? $0.send("unread") },
            {
                try? $0.send("unread")
                $0.resetsWhenClosed()
            },
        ]
        for clientEnd in ends {
            for serverEnd in ends {
                for clientIsFirst in [true, false] {
                    // Both are closed at the end of their scope.
                    let (client, server) = try relayed.connection()
                    if clientIsFirst { clientEnd(client) }
                    serverEnd(server)
                    if !clientIsFirst { clientEnd(client) }
                }
                // And gone before it is accepted.
                clientEnd(try relayed.client())
                serverEnd(try relayed.service.accepted())
            }
        }
        let (client, server) = try relayed.connection()
        try client.send("still there")
        #expect(try server.receivedText() == "still there")
    }

    @Test func sendsSmallPiecesAtOnce() throws {
        let relayed = try RelayedService(.tcp)
        let (client, server) = try relayed.connection()
        for index in 0..<200 {
            try client.send("a\(index)")
            #expect(try server.receivedText() == "a\(index)")
            try server.send("b\(index)")
            #expect(try client.receivedText() == "b\(index)")
        }
    }
}
