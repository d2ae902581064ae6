// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

@testable import Sandboxing

@Suite struct DatagramRelayTests {
    @Test(arguments: LoopbackAddress.ofEachKind)
    func givesEachClientItsAnswers(address: LoopbackAddress) throws {
        let relayed = try RelayedService(.udp, at: address)
        let clients = [try relayed.client(), try relayed.client()]
        for round in 0..<3 {
            for (index, client) in clients.enumerated() { try client.send("\(round) of \(index)") }
            for _ in clients {
                let question = try relayed.service.receiveDatagram()
                try relayed.service.answer(question, question.bytes + Array("!".utf8))
            }
            // The clients are connected, so that an answer from elsewhere than the listener does not come.
            for (index, client) in clients.enumerated() {
                #expect(try client.receivedText() == "\(round) of \(index)!")
            }
        }
    }

    @Test(arguments: [0, 1, 9000, 65507])
    func keepsDatagramsWhole(size: Int) throws {
        let relayed = try RelayedService(.udp)
        let client = try relayed.client()
        let datagram = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        _ = try datagram.withUnsafeBytes { try client.offer($0) }
        let received = try relayed.service.receiveDatagram()
        #expect(received.bytes == datagram)
        try relayed.service.answer(received, datagram)
        #expect(try client.receive() == datagram)
    }

    @Test func keepsAClientsSocket() throws {
        let relayed = try RelayedService(.udp)
        let client = try relayed.client()
        let ports = try (0..<5).map { _ in
            try client.send("again")
            return try relayed.service.receiveDatagram().port
        }
        #expect(Set(ports).count == 1)
    }

    @Test func forgetsIdleClients() throws {
        let relayed = try RelayedService(.udp, limits: .init(idleTime: .milliseconds(50)))
        let client = try relayed.client()
        try client.send("once")
        let port = try relayed.service.receiveDatagram().port
        #expect(HangLimit.waits { Self.isFree(port) })
        try client.send("twice")
        #expect(try relayed.service.receiveDatagram().bytes == Array("twice".utf8))
    }

    @Test func forgetsTheIdlestOfTooManyClients() throws {
        let relayed = try RelayedService(.udp, limits: .init(clients: 2))
        let clients = try (0..<3).map { _ in try relayed.client() }
        var ports: [UInt16] = []
        for index in [0, 1, 0, 2, 0, 1] {
            try clients[index].send("\(index)")
            ports.append(try relayed.service.receiveDatagram().port)
        }
        // The second's went when the third came; the first had been used since.
        #expect(ports[0] == ports[2] && ports[0] == ports[4])
        #expect(ports[5] != ports[1])
        #expect(HangLimit.waits { Self.isFree(ports[1]) })
    }

    @Test func outlivesAServiceThatRefuses() throws {
        // The kernel may give the port to another program while the service is away.
        for _ in 0..<10 where try survivesARefusal() { return }
        Issue.record("another program had the service's port, each time")
    }

    /// Whether the service could have its port again; requires then that it is reached there.
    private func survivesARefusal() throws -> Bool {
        let relayed = try RelayedService(.udp)
        let client = try relayed.client()
        try client.send("first")
        _ = try relayed.service.receiveDatagram()
        let port = HostPort(port: relayed.service.port, transport: .udp)
        relayed.service = try TestSocket.listening(.udp)
        for _ in 0..<3 { try client.send("refused") }
        guard let descriptor = try? Listener.open(port, at: .v4) else { return false }
        relayed.service = try TestSocket(descriptor)
        #expect(
            HangLimit.waits {
                try? client.send("again")
                return (try? relayed.service.receiveDatagram(milliseconds: 0))?.bytes == Array("again".utf8)
            }
        )
        return true
    }

    /// Whether no socket of this process has the port. Another process may have been given it since.
    private static func isFree(_ port: UInt16) -> Bool {
        (0..<4096 as Range<CInt>).allSatisfy { descriptor in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            }
            return status < 0 || address.sin_family != AF_INET || address.sin_port != port.bigEndian
        }
    }
}
