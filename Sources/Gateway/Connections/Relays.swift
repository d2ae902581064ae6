// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import SocketServing
internal import Synchronization

/// All connections that are relayed, on a thread of their own.
final class Relays: DescriptorOwner {
    let loop: EventLoop
    var pipes = PipePool()
    private let waiting: WaitingServers
    private let ended: @Sendable (Int) -> Void
    private var watches: [DescriptorWatch] = []
    /// The connections whose client may still send.
    private var uploading: Set<Int> = []

    /// Whether the kernel of the host has everything that clients have sent, and their ends.
    var hasUploadedAll: Bool { uploading.isEmpty }

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

    func descriptorIsReady(_ readiness: Readiness) {
        for watch in watches {
            for _ in 0..<64 {
                var peer = lc_address()
                let client = lc_accept_from(watch.descriptor, &peer)
                guard client >= 0 else { break }
                accept(client, from: Endpoint(peer))
            }
        }
    }

    private func accept(_ client: CInt, from peer: Endpoint) {
        guard let number = FarAddresses.number(of: peer), let server = waiting.remove(number) else {
            return lc_close_abruptly(client)
        }
        for descriptor in [client, server] {
            var on: CInt = 1
            setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
            setsockopt(descriptor, SOL_SOCKET, SO_OOBINLINE, &on, socklen_t(MemoryLayout<CInt>.size))
        }
        uploading.insert(number)
        _ = try? ConnectionRelay(number: number, client: client, server: server, self)
    }

    func hasUploaded(_ number: Int) { uploading.remove(number) }

    func hasEnded(_ number: Int) {
        uploading.remove(number)
        ended(number)
    }

    func loopHasEnded() {
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
