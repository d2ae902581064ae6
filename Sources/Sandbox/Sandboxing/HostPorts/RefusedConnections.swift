// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// The TCP connections to a network's loopback that are refused, because nothing listens there.
final class RefusedConnections {
    /// Raw sockets of raw(7), which get a copy of each refusal.
    private let sockets: [(address: LoopbackAddress, descriptor: CInt)]

    /// Watches the network of the calling thread. A protocol that cannot be watched, such as IPv6, has no refusals.
    init() {
        sockets = [(LoopbackAddress.v4, lc_watch_refusals(0)), (.v6, lc_watch_refusals(1))].filter { $0.1 >= 0 }
    }

    deinit { for socket in sockets { close(socket.descriptor) } }

    /// Returns a hint about refused ports that have a listener among `others`; nil for none. Call it once: it uses up
    /// the refusals.
    func hint(_ others: ListeningSockets) -> String? {
        var refused: Set<HostPort> = []
        for (address, descriptor) in sockets {
            // The socket's buffer has room for several hundred refusals; later ones are not seen.
            while case let number = lc_next_refusal(descriptor), let port = UInt16(exactly: number) {
                let port = HostPort(port: port, transport: .tcp)
                if others.addresses(of: port).contains(address) { refused.insert(port) }
            }
        }
        let ports = refused.sorted { $0.port < $1.port }
        guard let first = ports.first else { return nil }
        let options = ports.map { "--host-port \($0)" }.joined(separator: " ")
        guard ports.count > 1 else {
            return "port \(first) refused a connection in the sandbox, and has a listener outside: type \(options)"
        }
        let list = ports.map(\.description).joined(separator: ", ")
        return "ports \(list) refused connections in the sandbox, and have listeners outside: type \(options)"
    }
}
