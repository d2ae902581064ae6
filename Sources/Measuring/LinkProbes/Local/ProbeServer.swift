// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinkVerification

/// The network in which the server of a phase runs.
package enum ProbeHost: Sendable {
    /// The client's loopback device.
    case loopback
    /// Another network, with an address reserved for benchmarks (RFC 2544, RFC 5180).
    case outside

    /// The server's addresses in the outside network.
    package static let (ipv4, ipv6) = ("198.18.0.1", "2001:2::1")

    fileprivate func address(_ isIPv6: Bool, _ port: UInt16) -> lc_address {
        var address = lc_address()
        (address.length, address.port) = (isIPv6 ? 16 : 4, port)
        switch (self, isIPv6) {
        case (.loopback, false): (address.bytes.0, address.bytes.3) = (127, 1)
        case (.loopback, true): address.bytes.15 = 1
        case (.outside, false): (address.bytes.0, address.bytes.1, address.bytes.3) = (198, 18, 1)
        case (.outside, true):
            (address.bytes.0, address.bytes.1, address.bytes.3, address.bytes.15) = (0x20, 0x01, 0x02, 1)
        }
        return address
    }
}

/// The server of a phase: a UDP socket, or a listening TCP socket. It may belong to another network namespace than the
/// client, since a socket stays in the namespace where it was made.
package final class ProbeServer: Sendable {
    let host: ProbeHost
    let address: Address
    /// The UDP socket; nil for a phase of TCP connections.
    let datagrams: ConnectedSocket?
    /// The listening TCP socket; -1 for a phase of datagrams.
    let listener: CInt

    /// Wraps the C address, which is a plain value, as `Sendable`.
    struct Address: @unchecked Sendable { let value: lc_address }

    /// Makes the server in the network namespace of this thread.
    ///
    /// - Parameter number: the phase's number in its measurement, which is added to the port of all phases but DNS, so
    ///   that each has its own.
    package init(_ phase: ProbePhase, on host: ProbeHost, number: Int = 0) throws(ProbeError) {
        let port = phase.kind == .dns ? phase.port : phase.port + UInt16(truncatingIfNeeded: number)
        var address = host.address(phase.isIPv6, port)
        (self.host, self.address) = (host, Address(value: address))
        guard phase.opensConnections else {
            (datagrams, listener) = (try ConnectedSocket(phase, at: address), -1)
            return
        }
        (datagrams, listener) = (nil, lc_open_socket(CInt(lc_tcp), phase.isIPv6 ? 1 : 0))
        guard listener >= 0 else { throw ProbeError("socket", -listener) }
        let bound = lc_bind(listener, &address)
        guard bound == 0, listen(listener, 128) == 0 else {
            throw ProbeError("listen on port \(port)", bound == 0 ? errno : -bound)
        }
    }

    deinit { if listener >= 0 { close(listener) } }

    /// The loopback address to which a client binds; nil if the server is outside.
    func clientAddress(_ phase: ProbePhase) -> lc_address? {
        host == .loopback ? host.address(phase.isIPv6, 0) : nil
    }
}

extension ProbePhase {
    fileprivate var opensConnections: Bool { kind == .tcp || !transfers.isEmpty }
}
