// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// Requests that add and delete addresses.
package enum AddressRequest {
    /// Adds an address to an interface: `ip address add ADDRESS/LENGTH brd + dev INDEX`.
    package static func add(_ address: IPAddress, prefixLength: UInt8, to index: Int32) -> Request {
        change("add the address \(address)/\(prefixLength)", Int(RTM_NEWADDR), address, prefixLength, index)
    }

    /// Deletes an address of an interface, and with it the kernel's route to its network if it is the last one there:
    /// `ip address del ADDRESS/LENGTH dev INDEX`.
    package static func delete(_ address: IPAddress, prefixLength: UInt8, of index: Int32) -> Request {
        change("delete the address \(address)/\(prefixLength)", Int(RTM_DELADDR), address, prefixLength, index)
    }

    private static func change(
        _ operation: String,
        _ type: Int,
        _ address: IPAddress,
        _ prefixLength: UInt8,
        _ index: Int32
    ) -> Request {
        let isNew = type == Int(RTM_NEWADDR)
        let flags = NLM_F_ACK | (isNew ? NLM_F_CREATE | NLM_F_EXCL : 0)
        return Request(operation, type: type, flags: flags) { message in
            var header = ifaddrmsg()
            header.ifa_family = address.family.number
            header.ifa_prefixlen = prefixLength
            header.ifa_index = UInt32(bitPattern: index)
            message.append(header)
            message.put(Int(IFA_LOCAL), bytes: address.bytes)
            message.put(Int(IFA_ADDRESS), bytes: address.bytes)
            if isNew, address.family == .ipv4, prefixLength < 31 {
                let broadcast = address.number.low | (1 << (32 - UInt64(prefixLength)) - 1)
                message.put(Int(IFA_BROADCAST), UInt32(truncatingIfNeeded: broadcast).bigEndian)
            }
        }
    }
}
