// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// Opens sockets in a sandbox that stand for services of the host.
enum Listener {
    /// Opens a socket that listens (TCP) or is bound (UDP) in the calling thread's network namespace.
    static func open(_ port: HostPort, at address: LoopbackAddress) throws(SandboxError) -> CInt {
        let action = "listen on port \(port) of \(address)"
        let type = port.transport == .tcp ? SOCK_STREAM : SOCK_DGRAM
        let family = address == .v6 ? AF_INET6 : AF_INET
        let descriptor = try checked(socket(family, CInt(type.rawValue | SOCK_CLOEXEC.rawValue), 0), action)
        func turnOn(_ option: CInt, _ level: CInt) throws(SandboxError) {
            var on: CInt = 1
            try checked(setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<CInt>.size)), action)
        }
        do throws(SandboxError) {
            // Without SO_REUSEADDR, a TCP port stays in use for a minute after its last connection. UDP sockets would
            // share a port.
            if port.transport == .tcp { try turnOn(SO_REUSEADDR, SOL_SOCKET) }
            if address == .v6 { try turnOn(IPV6_V6ONLY, CInt(IPPROTO_IPV6)) }
            var target = address.socketAddress(port: port.port)
            try checked(lc_bind(descriptor, &target), action)
            if port.transport == .tcp { try checked(listen(descriptor, SOMAXCONN), action) }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }
}
