// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit

/// A UDP socket of a network namespace, usable from any thread once made.
final class UDPSocket: @unchecked Sendable {
    private let descriptor: Int32
    /// Seconds for which a datagram is waited for that must come.
    static let timeout = Double(HangLimit.seconds)

    /// Makes a socket in `namespace`, bound to `port` (0: the kernel's choice) of every address of the family.
    init(in namespace: String, ipv6: Bool, port: UInt16) throws {
        descriptor = try Namespace.socket(in: namespace, family: ipv6 ? AF_INET6 : AF_INET, type: SOCK_DGRAM)
        var address = SocketAddress(ipv6 ? "::" : "0.0.0.0", port)
        guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else { throw POSIXError(.EADDRINUSE) }
    }

    deinit { close(descriptor) }

    /// Sends zeros to a port of an address.
    func send(_ count: Int, to address: String, _ port: UInt16) {
        let payload = [UInt8](repeating: 0, count: count)
        var address = SocketAddress(address, port)
        address.withPointer { _ = sendto(descriptor, payload, count, 0, $0, $1) }
    }

    /// Waits for a datagram and gives its length; nil after the time limit.
    func receive(within seconds: Double) -> Int? {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, Int32(seconds * 1000)) == 1 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count >= 0 ? count : nil
    }

    /// Waits for a datagram and sends it back.
    func echo(within seconds: Double) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, Int32(seconds * 1000)) == 1 else { return false }
        var buffer = [UInt8](repeating: 0, count: 65536)
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let count = recvfrom(descriptor, &buffer, buffer.count, 0, address, &length)
                return count >= 0 && sendto(descriptor, buffer, count, 0, address, length) == count
            }
        }
    }
}

/// Seconds on a clock that is never set.
func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
