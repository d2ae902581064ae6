// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import CapturedPackets
import Glibc
package import LinuxSystem

/// The packets that a network's interfaces send and receive, from a packet socket whose ring is mapped: packet(7).
///
/// The kernel copies packets into blocks of the ring and hands a block over when it is full, or after a while. If none is
/// free, it drops packets and counts them.
package final class PacketRing {
    /// The size of the ring.
    package struct Size: Sendable {
        /// Bytes in a block: a multiple of the page size, and more than the largest packet.
        package var block: UInt32 = 1 << 20
        /// The number of blocks.
        package var count: UInt32 = 32
        /// The longest time until a packet is handed over.
        package var pause = Duration.milliseconds(50)

        /// The usual size: 32 MiB.
        package init() {}
    }

    /// What the kernel has counted.
    package struct Counters: Hashable, Sendable {
        /// The packets that passed the filter.
        package internal(set) var accepted: UInt64 = 0
        /// Those of them for which no block was free.
        package internal(set) var dropped: UInt64 = 0
    }

    private var ring = lc_packet_ring()
    /// The longest time until a packet is handed over.
    let pause: Duration
    private var counters = Counters()

    /// Opens a ring on the interface with this index, or on all for 0, in the network that the calling thread is in.
    ///
    /// - Parameter filter: a classic program that returns how many bytes of a packet to keep.
    /// - Throws: EPERM without CAP_NET_RAW; ENODEV; ENOMEM.
    package init(interface: Int32, _ filter: PacketFilter, _ size: Size = Size()) throws(SystemError) {
        pause = size.pause
        let result = lc_open_packet_ring(
            &ring,
            interface,
            filter.instructions,
            UInt16(filter.instructions.count),
            size.block,
            size.count,
            UInt32(size.pause / .milliseconds(1))
        )
        guard result == 0 else { throw SystemError(operation: "open a packet socket", code: errno) }
    }

    deinit { lc_close_packet_ring(&ring) }

    /// Readable when a block has been handed over, and when the interface is gone.
    package var descriptor: Int32 { ring.descriptor }

    /// Hands the packets of the next block that the kernel has filled to `body`, and gives the block back.
    ///
    /// - Returns: false if there is no such block.
    package func takeBlock(_ body: (borrowing RingPacket) -> Void) -> Bool {
        let count = lc_ring_block(&ring)
        guard count >= 0 else { return false }
        var place = lc_ring_first(&ring)
        for _ in 0..<count {
            var packet = lc_ring_packet()
            place = lc_ring_packet(place, &packet)
            body(RingPacket(packet))
        }
        lc_ring_release(&ring)
        return true
    }

    /// The number of blocks: more packets than these hold have come since.
    package var blockCount: Int { Int(ring.block_count) }

    /// What the kernel has counted since the ring was opened.
    package func readCounters() -> Counters {
        var (received, dropped): (UInt64, UInt64) = (0, 0)
        if lc_ring_statistics(&ring, &received, &dropped) == 0 {
            counters.accepted += received
            counters.dropped += dropped
        }
        return counters
    }

    /// The error of the socket, such as ENETDOWN after its interface has gone; 0 for none.
    package func takeError() -> Int32 {
        var (number, size): (CInt, socklen_t) = (0, socklen_t(MemoryLayout<CInt>.size))
        getsockopt(ring.descriptor, SOL_SOCKET, SO_ERROR, &number, &size)
        return number
    }
}
