// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import CapturedPackets
internal import LinkProfiles
internal import LinuxSystem
internal import PacketPump
internal import TrafficControl

/// The packets that the pump of one device has recorded, put into the order in which the host saw them: packets that it
/// sent by the time of arrival at the pump, packets that it received by the time of departure.
struct RecordedDevice {
    /// The bytes that may wait for the fates of earlier packets.
    private static let maximumWaiting = 64 << 20

    private let recorder: PacketRecorder
    private let inputs: [PumpInput]
    /// The offset from the monotonic clock, which stops while the machine is suspended, to the run's clock.
    private var origin = RunClock.aheadOfMonotonic
    /// A difference that is no suspension, but the time between two readings.
    private static let readingTime: Int64 = 10_000_000
    /// Packets that wait for the fates of earlier packets.
    struct Waiting {
        /// Blocks of the file: a packet, or those that a super-packet stands for, and the names that it answers.
        var blocks: [UInt8]
        /// The sending time, in nanoseconds of the run's clock.
        var sent: Int64
        /// The number of the conditions that apply to it.
        var conditions: Int
    }

    var order = TimeOrder<Waiting>(streams: Lane.allCases.count, limit: maximumWaiting)
    /// Packets on their way to the host, which sees them when they depart.
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

    /// The packets that there was no room for.
    var lost: UInt64 { UInt64(recorder.lost) }

    /// Has `add` describe one lane at least.
    mutating func describeLane(_ add: (CapturedInterface) -> Int) {
        if lanes.counts.isEmpty { _ = lanes.number(of: .uplink, add) }
    }

    /// Reads what has been recorded since the last time.
    ///
    /// - Parameter add: describes an interface in the file, and gives it a number.
    mutating func read(_ add: (CapturedInterface) -> Int) {
        let origin = RunClock.now - lc_monotonic_time()
        if origin - self.origin > Self.readingTime { self.origin = RunClock.aheadOfMonotonic }
        recorder.drain { packet, bytes in
            // A lost record may have been a fate that others wait for.
            if packet.lost > 0 { forgetArrivals() }
            switch packet.kind {
            case .arrival: change(packet.lane) { _ = $0.arrive(at: packet.arrival, count: Int(packet.pieces)) }
            case .duplication: change(packet.lane) { $0.change(packet.number - 1, by: Int(packet.pieces)) }
            case .conditions: conditions.change(to: String(decoding: bytes, as: UTF8.self), at: packet.arrival)
            case .packet:
                let time = packet.lane == .downlink ? packet.delivery ?? packet.due : packet.arrival
                encode(packet, bytes, time: self.origin + time, add)
                // As large as needed: the encoder keeps its room.
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
                // A super-packet that is judged as one is one fate.
                guard packet.number > 0 else { break }
                change(packet.lane) { $0.change(packet.number - 1, by: -max(Int(packet.pieces), 1)) }
            }
        }
    }

    /// The blocks of the next packet for the file, if nothing can precede it that is seen before `horizon`. The first to
    /// which new conditions apply says so.
    mutating func next(before horizon: Int64) -> [UInt8]? {
        guard var packet = order.next(now: horizon) else { return nil }
        if let name = conditions.tell(packet.conditions) {
            PcapngComment.add(ConditionsNote.comment(name), to: &packet.blocks)
        }
        return packet.blocks
    }

    /// Waits for no fates of what has arrived so far.
    mutating func forgetArrivals() {
        order.arrivals.forget()
        underway.forget()
    }

    private mutating func change(_ lane: Lane, _ body: (inout UndecidedArrivals) -> Void) {
        if lane == .downlink { body(&underway) } else { body(&order.arrivals) }
    }

    /// The time before which all that was sent has been handed out, by the run's clock.
    ///
    /// - Parameter horizon: what is still to be recorded arrives at this time of the monotonic clock, or after it.
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
        let number = lanes.number(of: lane, add)
        var (length, pieces) = (Int(packet.length), max(Int(packet.pieces), 1))
        // There is no time to split what is too fast to be kept whole.
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

    /// Undoes what the pump does to the link-layer header so that packets return to their device. Those without one keep an
    /// Ethernet header, but no tag.
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
