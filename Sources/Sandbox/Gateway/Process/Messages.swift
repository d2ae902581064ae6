// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem

/// A question of the process that reads packets to the one that opens sockets.
struct SocketQuestion {
    enum Kind: UInt8 {
        /// A connection of TCP to the address.
        case connection
        /// A socket for datagrams of UDP to anybody, of the address's version.
        case datagrams
        /// A socket for ICMP echo to anybody, of the address's version: icmp(7).
        case echo
    }

    var kind: Kind
    /// The number that the answer names.
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

    /// Sends it; a refusal is an error number.
    func send(to opener: SequencedChannel) -> CInt {
        withUnsafeBytes(of: Wire(number: number, address: address, kind: kind.rawValue)) { opener.send($0) }
    }
}

/// The answer to a question.
struct SocketAnswer {
    var number: UInt64
    /// The reason why there is no socket; 0 if there is one.
    var error: CInt
    /// The error of ICMP that says so, and who has sent it; a type of 0 for none.
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
