// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An address and port in the kernel's form.
struct SocketAddress {
    private var v4 = sockaddr_in()
    private var v6 = sockaddr_in6()
    private let isIPv6: Bool

    init(_ text: String, _ port: UInt16) {
        isIPv6 = text.contains(":")
        v4.sin_family = sa_family_t(AF_INET)
        v4.sin_port = port.bigEndian
        v6.sin6_family = sa_family_t(AF_INET6)
        v6.sin6_port = port.bigEndian
        if isIPv6 { inet_pton(AF_INET6, text, &v6.sin6_addr) } else { inet_pton(AF_INET, text, &v4.sin_addr) }
    }

    mutating func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        if isIPv6 {
            return withUnsafePointer(to: &v6) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
        return withUnsafePointer(to: &v4) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
