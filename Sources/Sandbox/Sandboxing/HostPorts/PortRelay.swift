// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import Gateway
import Glibc
internal import LinuxSystem
internal import SocketServing

/// Relays traffic from sockets of a sandbox to the same addresses in the network namespace of this process.
final class PortRelay: Sendable {
    /// The time that the target may take to accept a connection.
    private static let connectTimeout = Duration.seconds(10)

    private let loop: EventLoop
    private let limits: DatagramRelay.Limits

    init(limits: DatagramRelay.Limits = .init()) throws(SandboxError) {
        self.limits = limits
        loop = try onSystem(EventLoop.start())
    }

    /// Serves the listeners that arrive over the channel, and ends the process when the channel's other end is closed.
    static func serve(_ channel: MessageChannel) -> Never {
        Descriptors.raiseLimit()
        Confinement.enter(.connections)
        do {
            try PortRelay().receive(from: channel)
        } catch {
            report(error)
        }
        // Not exit(3), which would run the parent's exit handlers.
        _exit(0)
    }

    /// Serves the listeners that arrive over the channel, until the channel's other end is closed.
    func receive(from channel: MessageChannel) {
        while let listener = channel.receiveDescriptor() {
            do {
                try add(listener: listener)
            } catch {
                Self.report(error)
            }
        }
    }

    private static func report(_ error: SandboxError) {
        let line = "linkcond: \(error)\n"
        write(STDERR_FILENO, line, line.utf8.count)
    }

    /// Relays the traffic of `listener` to the same address in this network, or to `targetPort` there. Takes ownership
    /// of it.
    func add(listener: CInt, targetPort: UInt16? = nil) throws(SandboxError) {
        var type: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(listener, SOL_SOCKET, SO_TYPE, &type, &size) == 0 else {
            let code = errno
            Glibc.close(listener)
            throw SandboxError("relay a port", code: code)
        }
        let isStream = type == SOCK_STREAM.rawValue
        do {
            let refusal = try loop.perform { [loop, limits] () -> SystemError? in
                do throws(SystemError) {
                    if isStream {
                        let relays = Relays(on: loop)
                        _ = try StreamListener(listener, on: loop) { Self.relay($0, targetPort, relays, on: loop) }
                    } else {
                        let target = try Self.target(of: listener, targetPort)
                        _ = try DatagramRelay(listener, target: target, limits: limits, on: loop)
                    }
                    return nil
                } catch {
                    return error
                }
            }
            if let refusal { throw refusal }
        } catch {
            throw SandboxError("cannot relay a port: \(error)")
        }
    }

    func close() { loop.stopAndWait() }

    /// Relays a client's connection. Nothing is read from the client before the connection to the target succeeds.
    private static func relay(_ client: CInt, _ targetPort: UInt16?, _ relays: Relays, on loop: EventLoop) {
        guard let target = try? target(of: client, targetPort) else { return lc_close_abruptly(client) }
        _ = StreamConnector(to: target, on: loop, within: connectTimeout) { result in
            guard let host = try? result.get() else { return lc_close_abruptly(client) }
            relays.relay(client: client, server: host)
        }
    }

    /// The local address of a socket; with `port`, unless that is nil.
    private static func target(of socket: CInt, _ port: UInt16?) throws(SystemError) -> lc_address {
        var target = lc_address()
        try LinuxSystem.checked(lc_local_address(socket, &target), "read a socket's address")
        if let port { target.port = port }
        return target
    }
}
