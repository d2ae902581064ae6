// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem

/// A request of the process that reads packets to the process that opens sockets.
struct SocketQuestion {
    enum Kind: UInt8 {
        /// A TCP connection to the address.
        case connection
        /// An unconnected UDP socket of the address's family.
        case datagrams
        /// An unconnected socket for ICMP echo of the address's family: icmp(7).
        case echo
    }

    var kind: Kind
    /// The number of the connection or flow, which the answer repeats.
    var number: UInt64
    var address: lc_address

    static let size = MemoryLayout<Wire>.size

    private struct Wire {
        var number: UInt64
        var address: lc_address
        var kind: UInt8
    }

    init(_ kind: Kind, number: UInt64, _ address: lc_address) {
        (self.kind, self.number, self.address) = (kind, number, address)
    }

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.size else { return nil }
        let wire = bytes.loadUnaligned(as: Wire.self)
        guard let kind = Kind(rawValue: wire.kind), [4, 16].contains(wire.address.length) else { return nil }
        self.init(kind, number: wire.number, wire.address)
    }

    /// Sends the request; returns 0 or an error number.
    func send(to opener: SequencedChannel) -> CInt {
        withUnsafeBytes(of: Wire(number: number, address: address, kind: kind.rawValue)) { opener.send($0) }
    }
}

/// The answer to a ``SocketQuestion``.
struct SocketAnswer {
    var number: UInt64
    /// The error number if there is no socket; otherwise 0.
    var error: CInt
    /// The ICMP error that has refused the connection, and its sender in `offender`; a type of 0 for none.
    var message = (type: UInt8(0), code: UInt8(0))
    var offender = lc_address()
    /// The identifier of a raw socket's echoes; 0 for a socket that is not raw.
    var identifier: UInt16 = 0

    static let size = MemoryLayout<SocketAnswer>.size

    init(number: UInt64, error: CInt) { (self.number, self.error) = (number, error) }

    func send(to gateway: SequencedChannel, with descriptor: CInt) {
        withUnsafeBytes(of: self) { _ = gateway.send($0, with: descriptor) }
    }
}
