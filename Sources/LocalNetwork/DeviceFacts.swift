// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import Netlink

/// What rtnetlink does not tell of a device and /sys/class/net does.
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
        guard line("\(directory)/ifindex") == String(status.link.index), line("\(directory)/address") ?? "" == address
        else { return DeviceFacts() }
        let type = text("\(directory)/uevent").split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") }
        return DeviceFacts(
            isWireless: ["wireless", "phy80211"].contains { access("\(directory)/\($0)", F_OK) == 0 },
            type: type.map { String($0.dropFirst("DEVTYPE=".count)) }
        )
    }

    private static func line(_ path: String) -> String? {
        text(path).split(separator: "\n").first.map(String.init)
    }

    /// At most a page, as sysfs gives; empty where there is nothing to read.
    private static func text(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
}
