// SPDX-License-Identifier: Apache-2.0

internal import LinkRules

/// The Ethernet header that a pump puts before packets of a device without one. The kernel removes the header when the
/// packet returns from the TAP device.
///
/// Incoming packets also get an 802.1Q tag with the VLAN ID 0, so that the filter that redirects packets does not
/// redirect them again when they return: no packet of such a device has a tag, filters skip tagged packets, and the
/// kernel ignores a tag that names no VLAN (__netif_receive_skb_core in net/core/dev.c).
enum AddedEthernetHeader {
    /// The header's size in bytes.
    static func size(of traffic: Traffic) -> Int { traffic == .arriving ? 18 : 14 }

    /// Writes the Ethernet header before the packet, and moves the virtio-net header from `start + size(of: traffic)`
    /// to `start`.
    ///
    /// - Parameter address: the TAP device's address, with which the device accepts the packet.
    static func put(_ start: UnsafeMutableRawPointer, for traffic: Traffic, _ address: (UInt32, UInt16)) {
        let size = size(of: traffic)
        var virtio = (start + size).load(as: VirtioHeader.self)
        if virtio.flags & VirtioHeader.needsChecksum != 0 { virtio.checksumStart &+= UInt16(size) }
        if virtio.headerLength > 0 { virtio.headerLength &+= UInt16(size) }
        let frame = start + VirtioHeader.size
        let isIPv6 = UnsafeRawPointer(frame).byte(size) >> 4 == 6
        frame.storeBytes(of: address.0, as: UInt32.self)
        frame.storeBytes(of: address.1, toByteOffset: 4, as: UInt16.self)
        // A locally administered source address.
        frame.storeBytes(of: 2, toByteOffset: 6, as: UInt8.self)
        for offset in 7..<12 { frame.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self) }
        if traffic == .arriving {
            frame.setWord(12, 0x8100)
            frame.setWord(14, 0)
        }
        frame.setWord(size - 2, isIPv6 ? 0x86DD : 0x0800)
        start.storeBytes(of: virtio, as: VirtioHeader.self)
    }
}
