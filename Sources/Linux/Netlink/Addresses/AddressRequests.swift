// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// Requests that add, change and delete addresses.
package enum AddressRequest {
    /// Adds an address to an interface; it can be used at once: `ip address add ADDRESS/LENGTH brd + nodad dev INDEX`.
    package static func add(_ address: IPAddress, prefixLength: UInt8, to index: Int32) -> Request {
        change(
            "add the address \(address)/\(prefixLength)",
            RTM_NEWADDR,
            NLM_F_CREATE | NLM_F_EXCL,
            address,
            prefixLength,
            index
        ) { message in
            if address.family == .ipv4, prefixLength < 31 {
                let broadcast = address.number.low | (1 << (32 - UInt64(prefixLength)) - 1)
                message.put(Int(IFA_BROADCAST), UInt32(truncatingIfNeeded: broadcast).bigEndian)
            }
        }
    }

    /// Deprecates an address, so that new IPv6 connections use another one, if there is any (RFC 6724, rule 3): `ip
    /// address change ADDRESS/LENGTH dev INDEX preferred_lft 0`.
    package static func deprecate(_ address: IPAddress, prefixLength: UInt8, of index: Int32) -> Request {
        change(
            "deprecate the address \(address)/\(prefixLength)",
            RTM_NEWADDR,
            NLM_F_REPLACE,
            address,
            prefixLength,
            index
        ) {
            $0.put(Int(IFA_CACHEINFO), ifa_cacheinfo(ifa_prefered: 0, ifa_valid: .max, cstamp: 0, tstamp: 0))
        }
    }

    /// Deletes an address of an interface, and with the network's last address also the kernel's route to the network:
    /// `ip address del ADDRESS/LENGTH dev INDEX`.
    package static func delete(_ address: IPAddress, prefixLength: UInt8, of index: Int32) -> Request {
        change("delete the address \(address)/\(prefixLength)", RTM_DELADDR, 0, address, prefixLength, index) { _ in }
    }

    private static func change(
        _ operation: String,
        _ type: Int,
        _ flags: Int32,
        _ address: IPAddress,
        _ prefixLength: UInt8,
        _ index: Int32,
        _ rest: @escaping (Message) -> Void
    ) -> Request {
        Request(operation, type: type, flags: NLM_F_ACK | flags) { message in
            var header = ifaddrmsg()
            header.ifa_family = address.family.number
            header.ifa_prefixlen = prefixLength
            if address.family == .ipv6 { header.ifa_flags = UInt8(IFA_F_NODAD) }
            header.ifa_index = UInt32(bitPattern: index)
            message.append(header)
            message.put(Int(IFA_LOCAL), bytes: address.bytes)
            message.put(Int(IFA_ADDRESS), bytes: address.bytes)
            rest(message)
        }
    }
}
