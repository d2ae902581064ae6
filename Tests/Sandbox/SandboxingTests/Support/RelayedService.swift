// SPDX-License-Identifier: Apache-2.0

@testable import Sandboxing

/// A service, and a relay from another port of its address to it.
final class RelayedService {
    var service: TestSocket
    let listenerPort: HostPort

    private let address: LoopbackAddress
    private let relay: PortRelay
    private let clientBuffer: CInt?

    init(
        _ transport: HostPort.Transport,
        at address: LoopbackAddress = .v4,
        limits: DatagramRelay.Limits = .init(),
        clientBuffer: CInt? = nil
    ) throws {
        self.address = address
        relay = try PortRelay(limits: limits)
        service = try TestSocket.listening(transport, address)
        let listener = try Listener.open(HostPort(port: 0, transport: transport), at: address)
        listenerPort = HostPort(port: TestSocket.port(of: listener), transport: transport)
        self.clientBuffer = clientBuffer
        // Its connections inherit it.
        if let clientBuffer { TestSocket.limitBuffers(of: listener, to: clientBuffer) }
        try relay.add(listener: listener, targetPort: service.port)
    }

    deinit { relay.close() }

    /// A client of the relay.
    func client() throws -> TestSocket {
        let client = try TestSocket.connected(to: listenerPort, at: address)
        if let clientBuffer { TestSocket.limitBuffers(of: client.descriptor, to: clientBuffer) }
        return client
    }

    /// A client of the relay, and the connection that the service has from it.
    func connection() throws -> (client: TestSocket, server: TestSocket) {
        let client = try client()
        return (client, try service.accepted())
    }
}
