// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// The identifier of a qdisc or class on its device, MAJOR:MINOR in hexadecimal; tc(8), "CLASSES".
package struct Handle: Hashable, Sendable, CustomStringConvertible {
    /// The major number in the upper 16 bits, the minor number in the lower.
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Makes a handle from its two numbers; the minor number of a qdisc is 0.
    package init(_ major: UInt16, _ minor: UInt16 = 0) {
        self.init(rawValue: UInt32(major) << 16 | UInt32(minor))
    }

    /// As a parent: the device itself. `TC_H_ROOT`
    package static let root = Handle(rawValue: 0xFFFF_FFFF)
    /// As a parent: the hook of clsact and ingress. `TC_H_CLSACT`
    package static let clsact = Handle(rawValue: 0xFFFF_FFF1)
    /// As a parent of filters: received packets. `TC_H_MIN_INGRESS`
    package static let ingress = Handle(rawValue: 0xFFFF_FFF2)
    /// As a parent of filters: sent packets. `TC_H_MIN_EGRESS`
    package static let egress = Handle(rawValue: 0xFFFF_FFF3)
    /// The handle of a default qdisc, which the kernel created.
    package static let none = Handle(rawValue: 0)

    /// As tc(8) prints it: "root", or "1:" and "1:1".
    package var description: String {
        switch self {
        case .root: return "root"
        case .clsact: return "clsact"
        case .ingress: return "ingress"
        case .egress: return "egress"
        default:
            let minor = rawValue & 0xFFFF
            return String(rawValue >> 16, radix: 16) + ":" + (minor == 0 ? "" : String(minor, radix: 16))
        }
    }
}

extension tcmsg {
    /// The header of a request about a qdisc or a filter; a filter has a preference, and applies to all protocols.
    init(link: Int32, parent: Handle, handle: UInt32 = 0, preference: UInt16? = nil) {
        self.init()
        tcm_ifindex = link
        tcm_parent = parent.rawValue
        tcm_handle = handle
        tcm_info = preference.map { UInt32($0) << 16 | UInt32(UInt16(ETH_P_ALL).bigEndian) } ?? 0
    }
}
