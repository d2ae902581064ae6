// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import InternetAddresses

/// The names of addresses, from the DNS answers among the packets of a capture.
struct CapturedNames {
    /// The number of names after which all are forgotten; known names may then be written twice.
    private static let maximum = 10_000

    private var known: Set<String> = []

    /// Whether a packet may be a DNS response: UDP from port 53, without tags or options. Quick, and seldom wrong.
    func mayBeAnswer(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count > 42 else { return false }
        for start in [14, 0] {
            let isIPv4 = bytes[start] == 0x45 && bytes[start + 9] == 17
            let isIPv6 = bytes[start] >> 4 == 6 && bytes[start + 6] == 17
            let port = start + (isIPv4 ? 20 : 40)
            if isIPv4 || isIPv6, bytes.count > port + 1, bytes[port] == 0, bytes[port + 1] == 53 { return true }
        }
        return false
    }

    /// Returns the names in a DNS response that are new, and remembers them; nil if there are none.
    mutating func newNames(
        in bytes: [UInt8],
        _ linkType: CapturedInterface.LinkType,
        length: Int
    ) -> [(address: [UInt8], names: [String])]? {
        let headers = PacketHeaders(bytes, linkType, length: length)
        guard case .udp(sourcePort: 53, _) = headers.transport,
            let message = DNSMessage(Array(bytes[headers.payload])), message.isAnswer
        else { return nil }
        // The queried name, which the user knows, and not the names that its aliases lead to.
        let name = message.questions.first?.name
        let found = message.addresses.compactMap { answer -> (address: [UInt8], names: [String])? in
            let name = name ?? answer.name
            guard !name.isEmpty, known.insert("\(answer.address) \(name)").inserted else { return nil }
            return (answer.address.bytes, [name])
        }
        if known.count > Self.maximum { known = [] }
        return found.isEmpty ? nil : found
    }
}
