// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import Glibc
internal import InternetAddresses
package import LinuxSystem
internal import SocketServing

/// The listening sockets of a pane: 127.0.0.1 and, if this host has IPv6, ::1, at the same port.
package struct PaneSockets {
    /// How many free ports of 127.0.0.1 are tried for one that is free at ::1, too.
    private static let attempts = 16

    package let port: UInt16
    let descriptors: [CInt]

    /// Binds the sockets and listens.
    ///
    /// - Parameter port: the port; nil for a free one.
    /// - Throws: EADDRINUSE if another process listens there.
    package init(port: UInt16?) throws(SystemError) {
        for attempt in 1... {
            do {
                self = try Self(at: port ?? 0)
                return
            } catch {
                guard port == nil, error.code == EADDRINUSE, attempt < Self.attempts else { throw error }
            }
        }
        preconditionFailure("the last attempt returns or throws")
    }

    private init(at wanted: UInt16) throws(SystemError) {
        let first = try Self.listening([127, 0, 0, 1], port: wanted)
        var name = lc_address()
        lc_local_address(first, &name)
        port = name.port
        do throws(SystemError) {
            descriptors = [first, try Self.listening([UInt8](repeating: 0, count: 15) + [1], port: name.port)]
        } catch {
            // A host without IPv6, or without an address of it on its loopback interface.
            guard [EAFNOSUPPORT, EADDRNOTAVAIL, EPROTONOSUPPORT].contains(error.code) else {
                close(first)
                throw error
            }
            descriptors = [first]
        }
    }

    private static func listening(_ bytes: [UInt8], port: UInt16) throws(SystemError) -> CInt {
        var address = lc_address()
        (address.length, address.port) = (UInt8(bytes.count), port)
        withUnsafeMutableBytes(of: &address.bytes) { $0.copyBytes(from: bytes) }
        let descriptor = try ListeningSocket.bound(to: address)
        do throws(SystemError) {
            try checked(listen(descriptor, 128), "listen on port \(port)")
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }
}
