// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LinuxSystem
import Netlink
import TestKit
import Testing

@testable import Sandboxing

/// End to end: sockets of a network namespace, sent over a unix socket, relayed to the same port of the host.
@Suite(.enabled(if: geteuid() == 0, "needs root for a network namespace"))
struct NamespaceRelayTests {
    @Test(arguments: [HostPort.Transport.tcp, .udp], LoopbackAddress.ofEachKind)
    func reachesTheHostsLoopback(transport: HostPort.Transport, address: LoopbackAddress) async throws {
        let service = try TestSocket.listening(transport, address)
        let port = HostPort(port: service.port, transport: transport)
        let (listener, client) = try await PrivateNetwork.perform {
            try RouteConnection(RouteSocket()).perform(LinkRequest.bringUp("lo"))
            return (
                try TestSocket(Listener.open(port, at: address)), try TestSocket.connected(to: port, at: address)
            )
        }

        let (keeper, end) = try MessageChannel.pair()
        let relay = try PortRelay()
        let receiving = Thread { relay.receive(from: end) }
        receiving.start()
        defer {
            keeper.close()
            #expect(HangLimit.waits { receiving.isFinished })
            end.close()
            relay.close()
        }
        #expect(keeper.send(descriptor: listener.descriptor) == 0)

        try client.send("from inside")
        if transport == .tcp {
            let server = try service.accepted()
            #expect(try server.receivedText() == "from inside")
            try server.send("from outside")
        } else {
            let question = try service.receiveDatagram()
            #expect(question.bytes == Array("from inside".utf8))
            try service.answer(question, Array("from outside".utf8))
        }
        #expect(try client.receivedText() == "from outside")
    }
}
