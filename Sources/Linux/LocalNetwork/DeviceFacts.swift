// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink

/// Facts about a device from /sys/class/net that rtnetlink does not give.
struct DeviceFacts: Hashable, Sendable {
    /// Whether the device is an 802.11 device.
    var isWireless = false
    /// DEVTYPE in the device's uevent: "wlan", "wwan", "bridge".
    var type: String?

    /// Reads the facts about a device. A mounted sysfs may show another network namespace than the caller's, in which
    /// another device has the same name; then returns no facts.
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
