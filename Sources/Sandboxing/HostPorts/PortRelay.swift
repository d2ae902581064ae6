// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
import NIOCore
import NIOPosix

/// Relays what comes to sockets of a sandbox to the same addresses of the network namespace that it runs in.
final class PortRelay: Sendable {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let limits: DatagramRelay.Limits

    init(limits: DatagramRelay.Limits = .init()) {
        self.limits = limits
    }

    /// Relays what comes to the sockets that are sent over the unix socket, and ends the process when it is closed.
    static func serve(_ socket: CInt) -> Never {
        raiseDescriptorLimit()
        PortRelay().receive(from: socket)
        // Not exit(3), which would do once more what the process that this was forked from is to do at its end.
        _exit(0)
    }

    /// Relays what comes to the sockets that are sent over the unix socket, until it is closed.
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

    /// Relays what comes to `listener`, which it owns from now on, to its own address or another port there.
    ///
    /// - Throws: the reason why it cannot be relayed.
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

    /// Closes every socket.
    func close() {
        try? group.syncShutdownGracefully()
    }

    private func connections(_ targetPort: UInt16?) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // A client is not read from before this is done.
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

    /// The address that the client of a socket meant.
    private static func target(of channel: any Channel, _ port: UInt16?) -> EventLoopFuture<SocketAddress> {
        channel.eventLoop.makeCompletedFuture {
            guard var target = channel.localAddress else { throw ChannelError.unknownLocalAddress }
            if let port { target.port = Int(port) }
            return target
        }
    }

    /// A connection takes two descriptors, and the usual limit of 1024 is for the sake of select(2).
    private static func raiseDescriptorLimit() {
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(kind, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(kind, &limit)
    }
}
