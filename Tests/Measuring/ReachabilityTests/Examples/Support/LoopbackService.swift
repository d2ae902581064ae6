// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reachability

/// A TCP service on a free port of 127.0.0.1, until it is released.
final class LoopbackService: Sendable {
    let target: Target
    private let descriptor: CInt

    init() {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, length)
                _ = getsockname(descriptor, $0, &length)
            }
        }
        // Nobody accepts: each probe stays in the queue, and a full one would drop the next.
        listen(descriptor, SOMAXCONN)
        target = .tcp(.init("127.0.0.1", UInt16(bigEndian: address.sin_port)))
    }

    deinit { close(descriptor) }
}
