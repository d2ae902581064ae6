// SPDX-License-Identifier: Apache-2.0

/// The header that a TAP device with IFF_VNET_HDR adds before each frame: `struct virtio_net_hdr` of
/// linux/virtio_net.h, in the machine's byte order (TUNSETVNETLE is not set) and with the same layout.
package struct VirtioHeader: Equatable {
    /// The header's size in bytes.
    package static let size = 10

    /// The type of a super-packet's segments.
    package enum Segmentation: UInt8 {
        case none = 0
        case tcp4 = 1
        /// UDP fragmentation, which kernels since 4.14 do not use.
        case udpFragments = 3
        case tcp6 = 4
        /// UDP datagrams of one size (USO), since Linux 6.2.
        case udp = 5
    }

    /// Flag: the checksum at `checksumStart + checksumOffset` holds the sum of the pseudo-header only.
    package static let needsChecksum: UInt8 = 1
    /// Flag: the receiving device has verified the checksum.
    package static let checksumIsValid: UInt8 = 2
    /// Flag in `type`: the TCP super-packet has CWR, which only its first segment gets.
    package static let explicitCongestion: UInt8 = 0x80

    package var flags: UInt8 = 0
    /// `Segmentation`, and `explicitCongestion`.
    package var type: UInt8 = 0
    /// Bytes of headers from the start of the frame; a hint that may be wrong.
    package var headerLength: UInt16 = 0
    /// Bytes of payload in each segment.
    package var segmentSize: UInt16 = 0
    package var checksumStart: UInt16 = 0
    package var checksumOffset: UInt16 = 0

    /// The type of segments; nil for an unknown type.
    @inline(__always) package var segmentation: Segmentation? {
        Segmentation(rawValue: type & ~Self.explicitCongestion)
    }
}
