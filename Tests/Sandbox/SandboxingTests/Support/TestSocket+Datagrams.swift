// SPDX-License-Identifier: Apache-2.0

import Glibc

@testable import Sandboxing

/// A datagram and where it came from.
struct Datagram {
    let bytes: [UInt8]
    /// Large enough for either family.
    let source: sockaddr_in6

    /// The port, which both families have in the same place.
    var port: UInt16 { UInt16(bigEndian: source.sin6_port) }
}

extension TestSocket {
    /// The next datagram.
    func receiveDatagram(milliseconds: CInt = 180_000) throws -> Datagram {
        try wait(POLLIN, milliseconds: milliseconds)
        var buffer = [UInt8](repeating: 0, count: 65536)
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let count = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(descriptor, &buffer, buffer.count, 0, $0, &size)
            }
        }
        guard count >= 0 else { throw Failure(code: errno) }
        return Datagram(bytes: Array(buffer[..<count]), source: address)
    }

    /// Sends bytes back to where a datagram came from.
    func answer(_ datagram: Datagram, _ bytes: [UInt8]) throws {
        var address = datagram.source
        let isIPv6 = CInt(address.sin6_family) == AF_INET6
        let size = isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        let count = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(size))
            }
        }
        guard count == bytes.count else { throw Failure(code: errno) }
    }
}
