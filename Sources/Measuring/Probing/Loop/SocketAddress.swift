// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import InternetAddresses

extension lc_address {
    /// Makes the C functions' form of an address and a port.
    init(_ address: IPAddress, _ port: UInt16) {
        self.init()
        length = UInt8(address.length)
        scope = address.scope
        self.port = port
        withUnsafeMutableBytes(of: &bytes) { ours in address.withUnsafeBytes { ours.copyMemory(from: $0) } }
    }

    /// Whether the addresses are equal, apart from port and scope.
    func isSame(as address: IPAddress) -> Bool {
        guard Int(length) == address.length else { return false }
        return withUnsafeBytes(of: bytes) { ours in
            address.withUnsafeBytes { theirs in
                for index in 0..<theirs.count where ours[index] != theirs[index] { return false }
                return true
            }
        }
    }
}

extension IPAddress {
    /// Converts an address that a C function returned; nil if it returned none.
    init?(_ address: lc_address) {
        guard address.length != 0 else { return nil }
        let all = Swift.withUnsafeBytes(of: address.bytes) { Array($0.prefix(Int(address.length))) }
        self.init(bytes: all, scope: address.scope)
    }
}
