// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import CapturedPackets
import Glibc
package import LinuxSystem

/// The packets that a network's interfaces send and receive, from a packet socket whose ring is mapped: packet(7).
///
/// The kernel copies packets into blocks of the ring, and hands a block over when it is full or ``pause`` has passed.
/// If no block is free, the kernel drops packets and counts them.
package final class PacketRing: DescriptorHolder {
    /// The kernel's counts of packets.
    package struct Counters: Sendable {
        /// The packets that passed the filter.
        package internal(set) var accepted: UInt64 = 0
        /// The accepted packets for which no block was free.
        package internal(set) var dropped: UInt64 = 0
    }

    /// Bytes in a block: a multiple of the page size, and more than the largest packet.
    private static let blockSize: UInt32 = 1 << 20
    private static let blocks: UInt32 = 32
    /// The longest time until the kernel hands a packet over.
    static let pause = Duration.milliseconds(50)

    private var ring = lc_packet_ring()
    private var counters = Counters()

    /// Opens a ring on the interface with this index, or on all for 0, in the network that the calling thread is in.
    ///
    /// - Parameter filter: a classic program that returns how many bytes of a packet to keep.
    /// - Throws: EPERM without CAP_NET_RAW; ENODEV; ENOMEM.
    package init(interface: Int32, _ filter: PacketFilter) throws(SystemError) {
        let result = lc_open_packet_ring(
            &ring,
            interface,
            filter.instructions,
            UInt16(filter.instructions.count),
            Self.blockSize,
            Self.blocks,
            UInt32(Self.pause / .milliseconds(1))
        )
        guard result == 0 else { throw SystemError(operation: "open a packet socket", code: errno) }
    }

    deinit { lc_close_packet_ring(&ring) }

    /// Readable when a block has been handed over, and when the interface is gone.
    var descriptor: Int32 { ring.descriptor }
    package var descriptors: [CInt] { [descriptor] }

    /// The number of blocks in the ring.
    var blockCount: Int { Int(ring.block_count) }

    /// The time of the next block's last packet, in nanoseconds since 1970; nil if there is no block, or if half of the
    /// ring is full, so that the block must be read at once.
    var blockTime: Int64? {
        var later = ring
        later.block = (ring.block + ring.block_count / 2) % ring.block_count
        let count = lc_ring_block(&ring)
        guard count > 0, lc_ring_block(&later) < 0 else { return nil }
        var (position, last) = (lc_ring_first(&ring), lc_ring_packet())
        for _ in 0..<count { position = lc_ring_packet(position, &last) }
        return last.time
    }

    /// Calls `body` with each packet of the next full block, and gives the block back to the kernel.
    ///
    /// - Returns: false if there is no such block.
    func readBlock(_ body: (borrowing RingPacket) -> Void) -> Bool {
        let count = lc_ring_block(&ring)
        guard count >= 0 else { return false }
        var position = lc_ring_first(&ring)
        for _ in 0..<count {
            var packet = lc_ring_packet()
            position = lc_ring_packet(position, &packet)
            body(RingPacket(packet))
        }
        lc_ring_release(&ring)
        return true
    }

    /// Reads the kernel's counts since the ring was opened.
    func readCounters() -> Counters {
        var (received, dropped): (UInt64, UInt64) = (0, 0)
        if lc_ring_statistics(&ring, &received, &dropped) == 0 {
            counters.accepted += received
            counters.dropped += dropped
        }
        return counters
    }

    /// The error of the socket, such as ENETDOWN after its interface has gone; 0 for none. Resets it.
    func readError() -> Int32 {
        var (number, size): (CInt, socklen_t) = (0, socklen_t(MemoryLayout<CInt>.size))
        getsockopt(ring.descriptor, SOL_SOCKET, SO_ERROR, &number, &size)
        return number
    }
}

/// A packet in the ring. Its bytes are valid only during the call that it is passed to.
struct RingPacket: ~Copyable {
    private let packet: lc_ring_packet

    fileprivate init(_ packet: lc_ring_packet) { self.packet = packet }

    /// The index of the packet's interface.
    var interface: Int32 { packet.interface }
    /// The time at which the kernel saw the packet, in nanoseconds since 1970.
    var time: Int64 { packet.time }
    /// The bytes that were kept, from the link-layer header on, without a VLAN tag that the network card removed.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: packet.bytes, count: Int(packet.kept)) }
    /// The packet's whole length in bytes, without that tag.
    var length: Int { Int(packet.length) }
    /// The payload of each wire packet of a super-packet; 0 for a single packet.
    var segmentSize: Int { Int(packet.segment_size) }
    /// The packet's direction: outbound if PACKET_OUTGOING of packet(7).
    var direction: CapturedPacket.Direction { packet.kind == 4 ? .outbound : .inbound }
    /// The kind of interface: ARPHRD of <net/if_arp.h>.
    var hardware: UInt16 { packet.hardware }
    /// Whether the network card removed a VLAN tag.
    var isTagged: Bool { packet.vlan_type != 0 }

    /// The bytes and the length of the packet with its VLAN tag restored.
    var taggedBytes: (bytes: [UInt8], length: Int) {
        guard isTagged, bytes.count >= 12 else { return (Array(bytes), length) }
        let tag = [packet.vlan_type, packet.vlan].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        return (Array(bytes[..<12]) + tag + bytes[12...], length + 4)
    }
}
