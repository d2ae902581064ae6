// SPDX-License-Identifier: Apache-2.0

/// The payload of an IP packet.
struct Transport {
    /// The protocol's number in the IP header.
    let number: UInt8
    let bytes: [UInt8]
    /// The ports, if the protocol has any.
    var source: UInt16?
    var destination: UInt16?
    /// The type of an ICMP message.
    var type: UInt8?

    static func udp(from source: UInt16, to destination: UInt16, payload: [UInt8] = [1, 2, 3, 4]) -> Transport {
        let length = UInt16(8 + payload.count)
        let bytes = source.bytes + destination.bytes + length.bytes + [0, 0] + payload
        return Transport(number: 17, bytes: bytes, source: source, destination: destination)
    }

    static func tcp(from source: UInt16, to destination: UInt16) -> Transport {
        let bytes = source.bytes + destination.bytes + [0, 0, 0, 1, 0, 0, 0, 0, 0x50, 0x02, 0xFF, 0xFF, 0, 0, 0, 0]
        return Transport(number: 6, bytes: bytes, source: source, destination: destination)
    }

    static func icmp(_ type: UInt8) -> Transport {
        Transport(number: 1, bytes: [type, 0, 0, 0, 0, 1, 0, 1], type: type)
    }

    static func icmpv6(_ type: UInt8) -> Transport {
        Transport(number: 58, bytes: [type, 0, 0, 0, 0, 1, 0, 1], type: type)
    }

    /// Of any other protocol, or the middle of a message.
    static func bytes(_ bytes: [UInt8], number: UInt8) -> Transport {
        Transport(number: number, bytes: bytes)
    }
}

/// An IPv6 extension header (RFC 8200).
enum ExtensionHeader {
    /// The length is in units of eight bytes, at least one.
    case hopByHop(length: Int)
    case routing(length: Int)
    case destinationOptions(length: Int)
    /// The offset is in bytes.
    case fragment(offset: UInt16, more: Bool)

    var number: UInt8 {
        switch self {
        case .hopByHop: 0
        case .routing: 43
        case .destinationOptions: 60
        case .fragment: 44
        }
    }

    func bytes(next: UInt8) -> [UInt8] {
        switch self {
        case .hopByHop(let length), .routing(let length), .destinationOptions(let length):
            [next, UInt8(length - 1)] + [UInt8](repeating: 0, count: length * 8 - 2)
        case .fragment(let offset, let more):
            [next, 0] + (offset & 0xFFF8 | (more ? 1 : 0)).bytes + [0, 0, 0, 7]
        }
    }
}
