// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Fragmented packets that lost a fragment: their later fragments are lost, too.
///
/// The receiver could never reassemble them. It would keep the other fragments for 30 s, and while many are kept, its
/// kernel discards fragments of other packets (net.ipv4.ipfrag_high_thresh).
struct LostPackets {
    /// How many packets are remembered, the latest ones: a packet's fragments come one after the other.
    private static let maximum = 64

    private var packets: [(key: FlowKey, reason: DropReason)] = []
    /// The entry that is replaced next.
    private var next = 0

    var isEmpty: Bool { packets.isEmpty }

    /// Forgets a packet whose sender has used its identification for another one.
    mutating func remove(_ key: FlowKey) { packets.removeAll { $0.key == key } }

    /// Remembers a packet of which a fragment was lost.
    mutating func add(_ key: FlowKey, _ reason: DropReason) {
        guard self.reason(of: key) == nil else { return }
        guard packets.count == Self.maximum else { return packets.append((key, reason)) }
        packets[next] = (key, reason)
        next = (next + 1) % Self.maximum
    }

    /// The reason why a packet cannot be reassembled; nil if it can.
    func reason(of key: FlowKey) -> DropReason? { packets.first { $0.key == key }?.reason }
}

extension PumpLoop {
    /// The reason to drop a fragment whose packet has lost an earlier fragment; nil for any other frame. A first
    /// fragment removes the older packet with its identification.
    mutating func loss(withFragmentsOf frame: StoredFrame) -> DropReason? {
        let layout = frame.record.pointee.layout
        guard layout.fragment != .none, !lostPackets.isEmpty else { return nil }
        let key = FlowKey.packet(frame.bytes, layout)
        if layout.fragment == .later { return lostPackets.reason(of: key) }
        lostPackets.remove(key)
        return nil
    }

    /// Remembers the packet of a lost fragment; ignores a frame that is not a fragment.
    @inline(__always) mutating func noteLoss(of frame: StoredFrame, _ reason: DropReason) {
        let layout = frame.record.pointee.layout
        guard layout.fragment != .none else { return }
        lostPackets.add(FlowKey.packet(frame.bytes, layout), reason)
    }
}
