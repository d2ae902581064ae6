// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
package import SocketServing
internal import Synchronization

/// The connections that are relayed. Used on its loop's thread.
package final class Relays: DescriptorOwner {
    let loop: EventLoop
    var pipes = PipePool()
    private let waiting: WaitingServers
    private let ended: @Sendable (Int) -> Void
    private var watches: [DescriptorWatch] = []
    private var connections: [Int: ConnectionRelay] = [:]
    /// The connections whose client may still send.
    private var uploading: Set<Int> = []

    /// Whether the kernel of the host has everything that clients have sent, and their ends.
    var hasUploadedAll: Bool { uploading.isEmpty }

    /// The latest number of a connection that no listener has numbered.
    private var latest = 0

    /// Relays the connections that it is given.
    package init(on loop: EventLoop) { (self.loop, waiting, ended) = (loop, WaitingServers(), { _ in }) }

    /// Relays between two connections, which it owns from now on.
    package func relay(client: CInt, server: CInt) {
        latest += 1
        // Else splice(2) waits, whatever it is told: net/ipv4/tcp.c, tcp_splice_read.
        for descriptor in [client, server] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        // If this process is killed, a cut upload must not look whole.
        RelayedSocket.resetsAtClose(server, true)
        relay(latest, client, server)
    }

    /// Accepts connections of `listeners`, whose addresses tell their numbers, and relays each to the server that waits for it.
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

/// Connections to servers, until the kernel has the connection with the client, too.
final class WaitingServers: Sendable {
    private let servers = Mutex<[Int: CInt]>([:])

    func put(_ server: CInt, for number: Int) {
        let old = servers.withLock { $0.updateValue(server, forKey: number) }
        if let old { close(old) }
    }

    /// Whether this one was waiting.
    func remove(_ number: Int, _ server: CInt) -> Bool {
        servers.withLock { servers in
            guard servers[number] == server else { return false }
            servers[number] = nil
            return true
        }
    }

    func remove(_ number: Int) -> CInt? { servers.withLock { $0.removeValue(forKey: number) } }
}
