// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
package import SocketServing
internal import Synchronization

/// All relayed connections. Used only on the thread of `loop`.
package final class Relays: DescriptorOwner {
    let loop: EventLoop
    var pipes = PipePool()
    private let waiting: WaitingServers
    private let ended: @Sendable (Int) -> Void
    private var watches: [DescriptorWatch] = []
    private var connections: [Int: ConnectionRelay] = [:]
    /// The numbers of the connections whose clients may still send.
    private var uploading: Set<Int> = []

    /// Whether the host's kernel has all data of the clients, and their ends of stream.
    var hasUploadedAll: Bool { uploading.isEmpty }

    /// The latest number that ``relay(client:server:)`` gave.
    private var latest = 0

    /// Relays only connections that are passed to ``relay(client:server:)``.
    package init(on loop: EventLoop) { (self.loop, waiting, ended) = (loop, WaitingServers(), { _ in }) }

    /// Relays between two connected sockets, and takes ownership of both.
    package func relay(client: CInt, server: CInt) {
        latest += 1
        // Otherwise splice(2) blocks, whatever its flags: net/ipv4/tcp.c, tcp_splice_read.
        for descriptor in [client, server] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        // If this process is killed, a cut upload must not look complete.
        RelayedSocket.resetsAtClose(server, true)
        relay(latest, client, server)
    }

    /// Accepts connections from `listeners`, and relays each to the server that waits for it. A client's address stands
    /// for the number of its connection.
    ///
    /// - Parameter ended: called on the loop's thread with the number of a connection that has ended.
    init(
        _ listeners: [CInt],
        _ waiting: WaitingServers,
        on loop: EventLoop,
        ended: @escaping @Sendable (Int) -> Void
    ) throws(SystemError) {
        (self.loop, self.waiting, self.ended) = (loop, waiting, ended)
        for listener in listeners { watches.append(try loop.watch(listener, for: .readable, owner: self)) }
    }

    package func descriptorIsReady(_ readiness: Readiness) {
        for watch in watches {
            for _ in 0..<64 {
                var peer = lc_address()
                let client = lc_accept_from(watch.descriptor, &peer)
                guard client >= 0 else { break }
                accept(client, from: FlowEndpoint(peer))
            }
        }
    }

    private func accept(_ client: CInt, from peer: FlowEndpoint) {
        guard let number = FarAddresses.number(of: peer), let server = waiting.remove(number) else {
            return lc_close_abruptly(client)
        }
        relay(number, client, server)
    }

    private func relay(_ number: Int, _ client: CInt, _ server: CInt) {
        for descriptor in [client, server] {
            var on: CInt = 1
            setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
            setsockopt(descriptor, SOL_SOCKET, SO_OOBINLINE, &on, socklen_t(MemoryLayout<CInt>.size))
        }
        uploading.insert(number)
        connections[number] = try? ConnectionRelay(number: number, client: client, server: server, self)
    }

    /// Drops what the servers of these connections send, since their clients cannot be reached any more.
    func makeDeaf(_ numbers: [Int]) {
        for number in numbers {
            connections[number]?.makeDeaf()
            uploading.remove(number)
        }
    }

    func hasUploaded(_ number: Int) { uploading.remove(number) }

    func hasEnded(_ number: Int) {
        uploading.remove(number)
        connections[number] = nil
        ended(number)
    }

    package func loopHasEnded() {
        for watch in watches { close(watch.descriptor) }
        pipes.close()
    }
}

/// Sockets connected to servers, by the numbers of their connections, until the kernel has the client's connection,
/// too.
final class WaitingServers: Sendable {
    private let servers = Mutex<[Int: CInt]>([:])

    func put(_ server: CInt, for number: Int) {
        let old = servers.withLock { $0.updateValue(server, forKey: number) }
        if let old { close(old) }
    }

    /// Removes `server` if it waits under this number; returns whether it did.
    func remove(_ number: Int, _ server: CInt) -> Bool {
        servers.withLock { servers in
            guard servers[number] == server else { return false }
            servers[number] = nil
            return true
        }
    }

    func remove(_ number: Int) -> CInt? { servers.withLock { $0.removeValue(forKey: number) } }
}
