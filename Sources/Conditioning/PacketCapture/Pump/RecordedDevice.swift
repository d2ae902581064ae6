// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import CapturedPackets
internal import LinkProfiles
internal import LinuxSystem
internal import PacketPump
internal import TrafficControl

/// The packets that the pump of one device has recorded, in the order in which the host saw them: packets from the host
/// by their arrival at the pump, packets to the host by their departure.
struct RecordedDevice {
    /// The bytes of packets that may wait for the fates of earlier packets.
    private static let maximumWaiting = 64 << 20

    private let recorder: PacketRecorder
    private let inputs: [PumpInput]
    /// The offset from the monotonic clock, which stops while the machine is suspended, to the run's clock.
    private var origin = RunClock.aheadOfMonotonic
    /// The largest difference of `origin`, in nanoseconds, that is due to the time between two clock readings, and not
    /// to a suspension.
    private static let readingTime: Int64 = 10_000_000
    /// A packet that waits for the fates of earlier packets.
    struct Waiting {
        /// Blocks of the file: the packet, or the wire packets of a super-packet, and the names in a DNS response.
        var blocks: [UInt8]
        /// The sending time, in nanoseconds of the run's clock.
        var sent: Int64
        /// The number of the conditions that apply to the packet.
        var conditions: Int
    }

    var order = TimeOrder<Waiting>(streams: Lane.allCases.count, limit: maximumWaiting)
    /// Packets to the host whose fates are still to come: the host sees them when they depart.
    private var underway = UndecidedArrivals()
    private(set) var lanes: RecordedLanes
    private var names = CapturedNames()
    /// The encoder of the packets.
    private var encoder = PcapngEncoder.forBlocks()
    private var comment: [UInt8] = []
    private var conditions = RecordedConditions()

    init(_ recorder: PacketRecorder, _ name: String, _ inputs: [PumpInput], snapLength: Int?) {
        self.recorder = recorder
        self.inputs = inputs
        lanes = RecordedLanes(device: name, snapLength: snapLength)
    }

    /// The number of packets that were lost because the recorder had no room.
    var lost: UInt64 { UInt64(recorder.lost) }

    /// Makes `add` describe the uplink if no lane is described yet.
    mutating func describeLane(_ add: (CapturedInterface) -> Int) {
        if lanes.counts.isEmpty { _ = lanes.number(of: .uplink, at: .max, add) }
    }

    /// Reads the records since the last call.
    ///
    /// - Parameter add: describes an interface in the file, and gives it a number.
    mutating func read(_ add: (CapturedInterface) -> Int) {
        let origin = RunClock.now - lc_monotonic_time()
        if origin - self.origin > Self.readingTime { self.origin = RunClock.aheadOfMonotonic }
        recorder.drain { packet, bytes in
            // A lost record may have been a fate that other packets wait for.
            if packet.lost > 0 { forgetArrivals() }
            switch packet.kind {
            case .arrival: change(packet.lane) { _ = $0.arrive(at: packet.arrival, count: Int(packet.pieces)) }
            case .duplication: change(packet.lane) { $0.change(packet.number - 1, by: Int(packet.pieces)) }
            case .conditions: conditions.change(to: String(decoding: bytes, as: UTF8.self), at: packet.arrival)
            case .lane:
                let words = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
                let note = LaneNote(words, seed: packet.number, start: self.origin + packet.arrival)
                lanes.note(note, of: packet.lane, at: packet.due)
            case .packet:
                let time = packet.lane == .downlink ? packet.delivery ?? packet.due : packet.arrival
                encode(packet, bytes, time: self.origin + time, add)
                // An array of the exact size: the encoder's buffer keeps its capacity.
                var blocks: [UInt8] = []
                encoder.drain { blocks = Array($0) }
                order.add(
                    Waiting(
                        blocks: blocks,
                        sent: self.origin + packet.arrival,
                        conditions: conditions.number(at: packet.arrival)
                    ),
                    time: time,
                    position: packet.lane == .downlink ? 0 : packet.number << 16 | UInt64(packet.first),
                    size: blocks.count + 64,
                    stream: packet.lane.rawValue
                )
                // A super-packet that is not split has one fate.
                guard packet.number > 0 else { break }
                change(packet.lane) { $0.change(packet.number - 1, by: -max(Int(packet.pieces), 1)) }
            }
        }
    }

    /// Removes and returns the blocks of the next packet, if no packet that is seen before `horizon` can precede it.
    /// The first packet under new conditions gets a comment with the profile's name.
    mutating func next(before horizon: Int64) -> [UInt8]? {
        guard var packet = order.next(now: horizon) else { return nil }
        if let name = conditions.report(packet.conditions) {
            PcapngComment.add(ConditionsNote.comment(name), to: &packet.blocks)
        }
        return packet.blocks
    }

    /// Stops waiting for the fates of packets that have arrived so far.
    mutating func forgetArrivals() {
        order.arrivals.forget()
        underway.forget()
    }

    private mutating func change(_ lane: Lane, _ body: (inout UndecidedArrivals) -> Void) {
        if lane == .downlink { body(&underway) } else { body(&order.arrivals) }
    }

    /// The time of the run's clock before which all packets sent have been returned by ``next(before:)``.
    ///
    /// - Parameter horizon: a time of the monotonic clock; no packet still to be recorded arrives before it.
    func completeUntil(_ horizon: Int64) -> Int64 {
        order.waiting.lazy.map(\.sent).reduce(origin + min(horizon, underway.firstTime ?? .max)) { min($0, $1) }
    }

    private mutating func encode(
        _ packet: RecordedPacket,
        _ bytes: UnsafeMutableRawBufferPointer,
        time: Int64,
        _ add: (CapturedInterface) -> Int
    ) {
        let lane = packet.lane
        let number = lanes.number(of: lane, at: packet.arrival, add)
        var (length, pieces) = (Int(packet.length), max(Int(packet.pieces), 1))
        // A packet whose bytes were not all kept, because packets came too fast, is not split.
        let isSplit = packet.segmentSize > 0 && bytes.count == length
        comment.removeAll(keepingCapacity: true)
        PacketFate.write(
            lanes.words(lane, packet.fate),
            due: packet.due - packet.arrival,
            delay: packet.delivery.map { $0 - packet.arrival },
            packets: isSplit ? 1 : pieces,
            isCopy: packet.isCopy && packet.fate != .duplicate,
            maker: packet.maker,
            to: &comment
        )
        let original = restored(bytes, Int(packet.input))
        length -= bytes.count - original.count
        let data = UnsafeRawBufferPointer(original)
        if lane == .downlink, names.mayBeAnswer(data),
            let found = names.newNames(in: Array(data), .ethernet, length: length)
        {
            encoder.add(names: found)
        }
        var lost = packet.lost > 0 ? UInt64(packet.lost) : nil
        func encode(_ data: UnsafeRawBufferPointer, _ length: Int) {
            encoder.add(
                data,
                length: length,
                interface: number,
                time: time,
                direction: lane.packetDirection,
                lostBefore: lost,
                comment: comment
            )
            lost = nil
        }
        guard isSplit else {
            lanes.count(pieces, in: lane)
            return encode(data, length)
        }
        let segmentSize = Int(packet.segmentSize)
        SuperPacket.forEachWirePacket(of: Array(data), length: length, segmentSize: segmentSize, .ethernet) {
            lanes.count(1, in: lane)
            let length = $1
            $0.withUnsafeBytes { encode($0, length) }
        }
    }

    /// Undoes the pump's changes to the link-layer header, which make packets return to their device. A packet without
    /// a link-layer header keeps the Ethernet header that the pump added, but not its tag.
    private func restored(_ bytes: UnsafeMutableRawBufferPointer, _ input: Int) -> UnsafeMutableRawBufferPointer {
        guard bytes.count >= 18, inputs.indices.contains(input) else { return bytes }
        switch inputs[input].traffic {
        case .leaving: break
        case .loopback:
            if bytes[..<6].elementsEqual(inputs[input].device.address) {
                for index in 0..<6 { bytes[index] = 0 }
            }
        case .arriving where inputs[input].isBare:
            for index in (0..<12).reversed() { bytes[index + 4] = bytes[index] }
            return UnsafeMutableRawBufferPointer(rebasing: bytes.dropFirst(4))
        case .arriving: bytes[6] &= ~1
        }
        return bytes
    }
}
