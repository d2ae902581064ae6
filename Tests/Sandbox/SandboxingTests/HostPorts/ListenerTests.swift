// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Sandboxing

@Suite struct ListenerTests {
    @Test(arguments: LoopbackAddress.ofEachKind)
    func takesConnections(address: LoopbackAddress) throws {
        let listener = try TestSocket.listening(.tcp, address)
        let client = try TestSocket.connected(to: HostPort(port: listener.port, transport: .tcp), at: address)
        try client.send("hello")
        #expect(try listener.accepted().receivedText() == "hello")
        #expect(fcntl(listener.descriptor, F_GETFD) == FD_CLOEXEC)
    }

    @Test(arguments: [HostPort.Transport.tcp, .udp])
    func saysWhyThereIsNone(transport: HostPort.Transport) throws {
        let other = try TestSocket.listening(transport)
        let port = HostPort(port: other.port, transport: transport)
        let error = #expect(throws: SandboxError.self) { try Listener.open(port, at: .v4) }
        #expect(error?.description == "cannot listen on port \(port) of 127.0.0.1: Address already in use")
    }

    @Test(.enabled(if: LoopbackAddress.hasIPv6)) func leavesIPv4ToOthers() throws {
        let listener = try TestSocket.listening(.tcp, .v6)
        let port = HostPort(port: listener.port, transport: .tcp)
        #expect(throws: TestSocket.Failure(code: ECONNREFUSED)) { try TestSocket.connected(to: port) }
    }
}
