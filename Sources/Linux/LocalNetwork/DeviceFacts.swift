// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink

/// Facts about a device from /sys/class/net that rtnetlink does not give.
struct DeviceFacts: Hashable, Sendable {
    /// Whether it speaks 802.11.
    var isWireless = false
    /// DEVTYPE in its uevent: "wlan", "wwan", "bridge".
    var type: String?

    /// Reads them. A mounted sysfs shows one network namespace, maybe another one than the caller's, where another
    /// device may have the name: then nothing is known.
    static func read(_ status: LinkStatus) -> DeviceFacts {
        let directory = "/sys/class/net/\(status.link.name)"
        let address = status.hardwareAddress.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined(separator: ":")
        guard ProcFile("\(directory)/ifindex").firstLine == String(status.link.index),
            ProcFile("\(directory)/address").firstLine ?? "" == address
        else { return DeviceFacts() }
        let type = ProcFile("\(directory)/uevent").lines.first { $0.hasPrefix("DEVTYPE=") }
        return DeviceFacts(
            isWireless: ["wireless", "phy80211"].contains { access("\(directory)/\($0)", F_OK) == 0 },
            type: type.map { String($0.dropFirst("DEVTYPE=".count)) }
        )
    }
}
