// SPDX-License-Identifier: Apache-2.0

/// The header that a TAP device with IFF_VNET_HDR adds before each frame: `struct virtio_net_hdr` of linux/virtio_net.h,
/// in the machine's byte order (TUNSETVNETLE is not set).
struct VirtioHeader: Equatable {
    /// Its size in bytes.
    static let size = 10

    /// The type of a super-packet's segments.
    enum Segmentation: UInt8 {
        case none = 0
        case tcp4 = 1
        /// UDP fragmentation, which kernels since 4.14 do not use.
        case udpFragments = 3
        case tcp6 = 4
        /// UDP datagrams of one size (USO), since Linux 6.2.
        case udp = 5
    }

    /// The checksum at `checksumStart + checksumOffset` holds the sum of the pseudo-header only.
    static let needsChecksum: UInt8 = 1
    /// The receiving device has checked the checksum.
    static let checksumIsValid: UInt8 = 2
    /// A TCP super-packet with CWR, which only its first segment has.
    static let explicitCongestion: UInt8 = 0x80

    var flags: UInt8 = 0
    /// `Segmentation`, and `explicitCongestion`.
    var type: UInt8 = 0
    /// Bytes of headers from the start of the frame; a hint that may be wrong.
    var headerLength: UInt16 = 0
    /// Bytes of payload in each segment.
    var segmentSize: UInt16 = 0
    var checksumStart: UInt16 = 0
    var checksumOffset: UInt16 = 0

    init() {}

    /// Reads the `size` bytes at `start`.
    @inline(__always) init(at start: UnsafeRawPointer) {
        flags = start.byte(0)
        type = start.byte(1)
        headerLength = start.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
        segmentSize = start.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
        checksumStart = start.loadUnaligned(fromByteOffset: 6, as: UInt16.self)
        checksumOffset = start.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
    }

    /// Writes the `size` bytes at `start`.
    @inline(__always) func store(at start: UnsafeMutableRawPointer) {
        start.setByte(0, flags)
        start.setByte(1, type)
        start.storeBytes(of: headerLength, toByteOffset: 2, as: UInt16.self)
        start.storeBytes(of: segmentSize, toByteOffset: 4, as: UInt16.self)
        start.storeBytes(of: checksumStart, toByteOffset: 6, as: UInt16.self)
        start.storeBytes(of: checksumOffset, toByteOffset: 8, as: UInt16.self)
    }

    /// The type of segments; nil for an unknown type.
    @inline(__always) var segmentation: Segmentation? {
        Segmentation(rawValue: type & ~Self.explicitCongestion)
    }
}
