// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// A ring of the frames that leave a device, in memory that the kernel fills: packet(7). The size of a socket's buffer
/// does not limit the ring; a frame without a free slot is lost, and counted.
///
/// Unchecked for `state`: another thread makes the ring, and then only the pump's thread reads it.
package final class FrameRing: @unchecked Sendable {
    /// Enough slots for the frames that may come while the pump does not run.
    private static let maximumSlots: UInt32 = 16_384
    /// The largest total size of the slots, in bytes.
    private static let maximumBytes: UInt32 = 1 << 25

    let descriptor: Int32
    let slotSize: UInt32
    let slotCount: UInt32
    let state: UnsafeMutablePointer<lc_frame_ring>

    /// Opens a ring for the frames that leave the interface with this index.
    static func open(interface: Int32, mtu: UInt32) throws(TapError) -> FrameRing {
        let size = lc_frame_slot_size(mtu)
        let count = min(Self.maximumSlots, Self.maximumBytes / size)
        let descriptor = lc_open_frame_ring(interface, size, count)
        guard descriptor >= 0 else { throw TapError("open a packet socket with a ring", descriptor) }
        guard let ring = FrameRing(descriptor: descriptor, slotSize: size, slotCount: count) else {
            throw TapError("map the ring of a packet socket", -ENOMEM)
        }
        return ring
    }

    /// Adopts the descriptor of a ring, which is closed with this object.
    init?(descriptor: Int32, slotSize: UInt32, slotCount: UInt32) {
        state = .allocate(capacity: 1)
        state.initialize(to: lc_frame_ring())
        (self.descriptor, self.slotSize, self.slotCount) = (descriptor, slotSize, slotCount)
        guard lc_map_frame_ring(state, descriptor, slotSize, slotCount) == 0 else { return nil }
    }

    deinit {
        if state.pointee.slots != nil { lc_unmap_frame_ring(state) }
        state.deallocate()
        close(descriptor)
    }
}
