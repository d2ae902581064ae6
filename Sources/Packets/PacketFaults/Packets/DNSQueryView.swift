// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import InternetAddresses
internal import LinkProfiles

/// A DNS query in a packet (RFC 1035), and the responses that a fault makes to it.
struct DNSQueryView {
    static let port: UInt16 = 53
    /// The TTL of a fault's addresses in seconds: short, so that a client asks again soon after the fault ends.
    private static let lifetime: UInt32 = 5

    /// The name in the query's first question.
    let name: String
    let type: UInt16
    private let header: DNSHeader
    /// The bytes of the first question.
    private let question: ArraySlice<UInt8>

    /// Reads the DNS query in an uplink packet to port 53; nil if the packet has none.
    init?(_ packet: FaultedPacket) {
        guard packet.direction == .uplink, packet.ports?.destination == Self.port else { return nil }
        var message = packet.data
        // Over TCP, two bytes with the length precede the message (section 4.2.2).
        if packet.tcp != nil {
            guard message.count > 2 else { return nil }
            message = message.dropFirst(2)
        }
        self.init(message)
    }

    /// Reads a message; nil if it is not a query.
    init?(_ message: ArraySlice<UInt8>) {
        var cursor = ByteCursor(message)
        guard let header = cursor.dnsHeader(), !header.isAnswer, header.questions > 0, let first = cursor.dnsEntry()
        else { return nil }
        (self.header, name, type) = (header, first.name, first.type)
        question = message.dropLast(cursor.rest.count).dropFirst(DNSHeader.length)
    }

    /// Makes the response message.
    func answer(_ answer: DNSFaultAnswer) -> [UInt8] {
        var records: [UInt8] = []
        if case .address(let address) = answer, let wanted = RecordType(rawValue: type),
            wanted == .any || wanted == (address.family == .ipv4 ? .a : .aaaa)
        {
            let type: RecordType = address.family == .ipv4 ? .a : .aaaa
            // A pointer to the name of the question.
            records = [0xC0, UInt8(DNSHeader.length)] + type.rawValue.bytes + [0, 1] + Self.lifetime.bytes
            records += UInt16(address.length).bytes + address.bytes
        }
        // An answer, with the opcode and RD of the query; recursion is available.
        let flags = 0x8080 | header.flags & 0x7900 | (answer == .truncated ? 0x0200 : 0) | UInt16(answer.code)
        let answers: UInt16 = records.isEmpty ? 0 : 1
        return DNSHeader(identifier: header.identifier, flags: flags, answers: answers).bytes + question + records
    }
}

extension DNSFaultAnswer {
    /// The response code (RFC 1035, section 4.1.1).
    fileprivate var code: UInt8 {
        switch self {
        case .nameError: 3
        case .serverFailure: 2
        case .refused: 5
        case .empty, .truncated, .address: 0
        }
    }
}
