// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Fragmented packets of which a fragment was lost: what comes of them later is lost, too.
///
/// Their receiver could never put them together. It would keep the rest for 30 s, and where many are kept, its kernel discards
/// the fragments of others (net.ipv4.ipfrag_high_thresh).
struct LostPackets {
    /// The latest are remembered: a packet's fragments come one after the other.
    private static let maximum = 64

    private var packets: [(key: FlowKey, reason: DropReason)] = []
    /// The entry that is replaced next.
    private var next = 0

    var isEmpty: Bool { packets.isEmpty }

    /// Forgets a packet: its sender uses its identification for another one.
    mutating func remove(_ key: FlowKey) { packets.removeAll { $0.key == key } }

    /// Remembers a packet of which a fragment was lost.
    mutating func add(_ key: FlowKey, _ reason: DropReason) {
        guard self.reason(of: key) == nil else { return }
        guard packets.count == Self.maximum else { return packets.append((key, reason)) }
        packets[next] = (key, reason)
        next = (next + 1) % Self.maximum
    }

    /// The reason why a packet can never arrive; nil if it can.
    func reason(of key: FlowKey) -> DropReason? { packets.first { $0.key == key }?.reason }
}

extension PumpLoop {
    /// The reason why a frame is lost together with an earlier fragment of its packet; nil for any other.
    mutating func loss(withFragmentsOf frame: StoredFrame) -> DropReason? {
        let layout = frame.record.pointee.layout
        guard layout.fragment != .none, !lostPackets.isEmpty else { return nil }
        let key = FlowKey.packet(frame.bytes, layout)
        if layout.fragment == .later { return lostPackets.reason(of: key) }
        lostPackets.remove(key)
        return nil
    }

    /// Notes that a packet was lost, if it is a fragment.
    @inline(__always) mutating func noteLoss(of frame: StoredFrame, _ reason: DropReason) {
        let layout = frame.record.pointee.layout
        guard layout.fragment != .none else { return }
        lostPackets.add(FlowKey.packet(frame.bytes, layout), reason)
    }
}
