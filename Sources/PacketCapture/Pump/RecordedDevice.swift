// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import CapturedPackets
internal import LinkProfiles
internal import LinuxSystem
internal import PacketPump
internal import TrafficControl

/// What the pump of one device has recorded, put into the order in which the host saw it: what it sent by the time of
/// arrival at the pump, what it received by the time of departure.
struct RecordedDevice {
    /// Blocks of the file: a packet, or those that a super-packet stands for, and the names that it answers.
    typealias Blocks = [UInt8]

    /// The bytes that may wait for the fates of earlier packets.
    private static let mostWaiting = 64 << 20

    private let recorder: PacketRecorder
    private let inputs: [PumpInput]
    private let splits: Bool
    /// What turns the monotonic clock into the time of day.
    private let origin = RealClock.now - lc_monotonic_time()
    private var order = BlockOrder(streams: Lane.allCases.count, limit: mostWaiting)
    private var lanes: RecordedLanes
    private var names = CapturedNames()
    /// What a packet is encoded with.
    private var encoder = PcapngEncoder.forBlocks()
    private var comment: [UInt8] = []

    init(_ recorder: PacketRecorder, _ name: String, _ inputs: [PumpInput], snapLength: Int?, splits: Bool) {
        self.recorder = recorder
        self.inputs = inputs
        self.splits = splits
        lanes = RecordedLanes(device: name, snapLength: snapLength)
    }

    /// Takes what has been recorded since the last time.
    ///
    /// - Parameter add: describes an interface in the file, and gives it a number.
    mutating func take(_ add: (CapturedInterface) -> Int) {
        recorder.drain { record in
            // What was lost may have been a fate that others wait for.
            if record.lost > 0 { order.forgetArrivals() }
            switch record.kind {
            case .arrival(let count): _ = order.arrive(at: record.arrival, count: count)
            case .duplicated(let count):
                if let number = record.arrivalNumber { order.change(number - 1, by: count) }
            case .packet(let fate):
                let time = record.lane == .downlink ? record.departure ?? record.due : record.arrival
                encode(record, fate, time: origin + time, add)
                // As large as needed: the encoder keeps its room.
                var blocks: Blocks = []
                encoder.drain { blocks = Array($0) }
                order.add(blocks, time: time, stream: record.lane.rawValue)
                // A super-packet that is judged as one is one fate.
                if let number = record.arrivalNumber { order.change(number - 1, by: -record.packets) }
            }
        }
    }

    /// Nothing more will be recorded.
    mutating func end() { order.forgetArrivals() }

    /// The time of the first packet that waits; nil if none does.
    var firstTime: Int64? { order.firstTime }

    /// The time before which nothing more will be seen, if nothing more will be recorded before `now`.
    func horizon(_ now: Int64) -> Int64 { order.horizon(now: now) }

    /// The next packet that was seen before `time`.
    mutating func next(until time: Int64) -> Blocks? { order.next(now: time) }

    /// For each lane its number, its packets, and those that there was no room for: they are told with the first.
    var counts: [(number: Int, packets: UInt64, lost: UInt64)] {
        lanes.counts.enumerated().map { place, lane in
            (lane.number, lane.packets, place == 0 ? UInt64(recorder.lost) : 0)
        }
    }

    private mutating func encode(
        _ record: borrowing RecordedPacket,
        _ fate: Fate,
        time: Int64,
        _ add: (CapturedInterface) -> Int
    ) {
        let isSent = record.lane != .downlink
        let lane = lanes.number(of: record.lane, add)
        // There is no time to split what is too fast to be kept whole.
        let isSplit = splits && record.segmentSize > 0 && record.bytes.count == record.length
        comment.removeAll(keepingCapacity: true)
        let delay = record.departure.map { $0 - record.arrival }
        let words = lanes.words(record.lane, fate)
        let packets = isSplit ? 1 : record.packets
        PacketFate.write(words, due: record.due - record.arrival, delay: delay, packets: packets, to: &comment)
        let lost = record.lost > 0 ? UInt64(record.lost) : nil
        restoreAddresses(record.bytes, record.input)
        if !isSent, names.mayBeAnswer(record.bytes) { addNames(record) }
        guard isSplit else {
            lanes.count(record.packets, in: record.lane)
            return encoder.add(
                record.bytes,
                length: record.length,
                interface: lane,
                time: time,
                direction: record.lane.packetDirection,
                lostBefore: lost,
                comment: comment
            )
        }
        let whole = SuperPacket(
            Array(record.bytes),
            length: record.length,
            segmentSize: record.segmentSize,
            linkType: .ethernet
        )
        for (index, part) in whole.wirePackets.enumerated() {
            lanes.count(1, in: record.lane)
            part.bytes.withUnsafeBytes { bytes in
                encoder.add(
                    bytes,
                    length: part.length,
                    interface: lane,
                    time: time,
                    direction: record.lane.packetDirection,
                    lostBefore: index == 0 ? lost : nil,
                    comment: comment
                )
            }
        }
    }

    private mutating func addNames(_ record: borrowing RecordedPacket) {
        var packet = CapturedPacket(time: 0, bytes: Array(record.bytes))
        packet.length = record.length
        if let found = names.take(packet, .ethernet) { encoder.add(names: found) }
    }

    /// Undoes what the pump does to addresses so that packets return to their device.
    private func restoreAddresses(_ bytes: UnsafeRawBufferPointer, _ input: Int) {
        guard bytes.count >= 14, inputs.indices.contains(input) else { return }
        // The bytes are this reader's until it has been handed the next.
        let bytes = UnsafeMutableRawBufferPointer(mutating: bytes)
        switch inputs[input].traffic {
        case .leaving: break
        case .loopback:
            if bytes[..<6].elementsEqual(inputs[input].device.address) {
                for index in 0..<6 { bytes[index] = 0 }
            }
        case .arriving: bytes[6] &= ~1
        }
    }
}
