// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
import NIOCore
import NIOPosix

/// Relays traffic from sockets of a sandbox to the same addresses in its own network namespace.
final class PortRelay: Sendable {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let limits: DatagramRelay.Limits

    init(limits: DatagramRelay.Limits = .init()) { self.limits = limits }

    /// Serves the listeners that it receives over the unix socket, and ends the process when that is closed.
    static func serve(_ socket: CInt) -> Never {
        raiseDescriptorLimit()
        Confinement.enter(.connections)
        PortRelay().receive(from: socket)
        // Not exit(3), which would run the parent's exit handlers.
        _exit(0)
    }

    /// Serves the listeners that it receives over the unix socket, until that is closed.
    func receive(from socket: CInt) {
        while true {
            let listener = lc_receive_descriptor(socket)
            guard listener >= 0 else { return }
            do {
                try add(listener: listener)
            } catch {
                let line = "linkcond: \(error)\n"
                write(STDERR_FILENO, line, line.utf8.count)
            }
        }
    }

    /// Relays the traffic of `listener`, which it owns from now on, to that address, or to `targetPort` there.
    func add(listener: CInt, targetPort: UInt16? = nil) throws(SandboxError) {
        var type: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(listener, SOL_SOCKET, SO_TYPE, &type, &size) == 0 else {
            let code = errno
            Glibc.close(listener)
            throw SandboxError("relay a port", code: code)
        }
        do {
            if type == SOCK_STREAM.rawValue {
                _ = try connections(targetPort).withBoundSocket(listener).wait()
            } else {
                _ = try datagrams(targetPort).withBoundSocket(listener).wait()
            }
        } catch {
            throw SandboxError("cannot relay a port: \(error)")
        }
    }

    func close() { try? group.syncShutdownGracefully() }

    private func connections(_ targetPort: UInt16?) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Nothing is read from the client before the connection to the target succeeds.
            .childChannelInitializer { client in
                Self.target(of: client, targetPort)
                    .flatMap { Self.connect(client, to: $0) }
                    .flatMapErrorThrowing { error in
                        client.reset()
                        throw error
                    }
            }
    }

    private func datagrams(_ targetPort: UInt16?) -> DatagramBootstrap {
        DatagramBootstrap(group: group)
            .channelOption(.recvAllocator, value: DatagramRelay.wholeDatagrams)
            .channelInitializer { [limits] listener in
                Self.target(of: listener, targetPort).flatMapThrowing { target in
                    let relay = DatagramRelay(target: target, limits: limits)
                    try listener.pipeline.syncOperations.addHandler(relay)
                }
            }
    }

    private static func connect(_ client: any Channel, to target: SocketAddress) -> EventLoopFuture<Void> {
        ClientBootstrap(group: client.eventLoop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { host in
                host.eventLoop.makeCompletedFuture {
                    try host.pipeline.syncOperations.addHandler(RelayHandler(partner: client))
                }
            }
            .connect(to: target)
            .flatMapThrowing { host in
                try client.pipeline.syncOperations.addHandler(RelayHandler(partner: host))
            }
    }

    /// The destination address of a client.
    private static func target(of channel: any Channel, _ port: UInt16?) -> EventLoopFuture<SocketAddress> {
        channel.eventLoop.makeCompletedFuture {
            guard var target = channel.localAddress else { throw ChannelError.unknownLocalAddress }
            if let port { target.port = Int(port) }
            return target
        }
    }

    /// A connection takes two descriptors. The usual limit of 1024 exists for select(2).
    private static func raiseDescriptorLimit() {
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(kind, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(kind, &limit)
    }
}
