// SPDX-License-Identifier: Apache-2.0

internal import Netlink

extension IPAddress {
    /// The next host address in the same network, after the last one the first; nil if all others are in `others`.
    func next(prefixLength: UInt8, avoiding others: [IPAddress]) -> IPAddress? {
        let hostBits = min(Int(family.bitWidth) - Int(prefixLength), 16)
        guard hostBits >= 2 else { return nil }
        let mask = UInt16(truncatingIfNeeded: 1 << hostBits - 1)
        var bytes = bytes
        let own = UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1])
        for step in 1...mask {
            let host = (own &+ step) & mask
            // The network's address and its broadcast address are skipped.
            guard host != 0, host != mask else { continue }
            let end = own & ~mask | host
            (bytes[bytes.count - 2], bytes[bytes.count - 1]) = (UInt8(end >> 8), UInt8(truncatingIfNeeded: end))
            if let address = IPAddress(bytes: bytes), address.number != number, !others.contains(address) {
                return address
            }
        }
        return nil
    }
}
