// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import Netlink

/// Moves packets from a source to a device.
final class FrameMover {
    /// The longest packet in bytes, with its headers: a super-packet may have more than 64 KiB (BIG TCP).
    private static let longest = 1 << 19
    /// The number of packets after which requests are checked.
    private static let batch = 256

    private let source: OpenSource
    private let device: MirrorDevice
    private let isOurs: (Link) -> Bool
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: FrameMover.longest, alignment: 16)
    /// Whether an interface of the network is shown, by index.
    private var isShown: [Int32: Bool] = [:]
    /// The number of packets that were shown.
    private(set) var packets: UInt64 = 0
    private var dropped: UInt64 = 0
    private var wasInterrupted = false

    /// - Parameter isOurs: whether linkcond made an interface for its own use: the network's packets pass through it in
    ///   addition to their own interface.
    init(_ source: OpenSource, _ device: MirrorDevice, isOurs: @escaping (Link) -> Bool) {
        (self.source, self.device, self.isOurs) = (source, device, isOurs)
    }

    deinit { buffer.deallocate() }

    /// Shows packets that have arrived, at most `batch`; returns whether there may be more.
    func moveFrames() -> Bool {
        let room = MirroredFrame.room
        for _ in 0..<Self.batch {
            var facts = lc_received_packet()
            let free = UnsafeMutableRawBufferPointer(rebasing: buffer[room...])
            let count = lc_receive_packet(source.packets, free.baseAddress, UInt(free.count), &facts)
            if count == -Int(ENETDOWN) {
                wasInterrupted = true
                continue
            }
            guard count > 0 else { return false }
            guard isShown(facts) else { continue }
            let tag = facts.vlan_type == 0 ? nil : (facts.vlan_type, facts.vlan)
            let isBare = !Self.hasEthernetHeader(facts.hardware)
            let frame = MirroredFrame(buffer, count: count, tag: tag, protocol: isBare ? facts.protocol : nil)
            guard let frame, send(frame) else {
                dropped += 1
                continue
            }
            packets += 1
        }
        return true
    }

    /// Returns whether the interface went down since the last call; it may be gone.
    func readInterruption() -> Bool {
        defer { wasInterrupted = false }
        return wasInterrupted
    }

    /// Returns the number of packets that were not shown.
    func readDropped() -> UInt64 {
        dropped += UInt64(lc_missed_packets(source.packets))
        return dropped
    }

    private func send(_ frame: MirroredFrame) -> Bool {
        while true {
            if Glibc.send(device.output, frame.bytes.baseAddress, frame.bytes.count, CInt(MSG_NOSIGNAL)) >= 0 {
                return true
            }
            guard errno == EINTR else { return false }
        }
    }

    private func isShown(_ packet: lc_received_packet) -> Bool {
        guard let network = source.network else { return true }
        if let known = isShown[packet.interface] { return known }
        let link = (try? RouteConnection(network).links())?.first { $0.index == packet.interface }
        // An interface that is already gone is looked up only once: the kernel does not reuse indexes soon.
        let shows = link.map { ($0.hasEthernetHeader || $0.hasNoHeader) && !isOurs($0) } ?? true
        isShown[packet.interface] = shows
        return shows
    }

    /// ARPHRD_ETHER, ARPHRD_LOOPBACK.
    private static func hasEthernetHeader(_ hardware: UInt16) -> Bool { hardware == 1 || hardware == 772 }
}
