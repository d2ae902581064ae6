// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles
internal import PacketPump

/// The lanes of a device as interfaces of a capture.
struct RecordedLanes {
    private struct Place {
        var number: Int
        var packets: UInt64 = 0
    }

    private let device: String
    private let snapLength: Int?
    private var places = [Place?](repeating: nil, count: Lane.allCases.count)
    /// The words of comments that have been needed, by lane, fate and reason.
    private var words: [Int: [UInt8]] = [:]

    init(device: String, snapLength: Int?) {
        self.device = device
        self.snapLength = snapLength
    }

    /// The number of a lane in the capture, which `add` gives it.
    mutating func number(of lane: Lane, _ add: (CapturedInterface) -> Int) -> Int {
        if let place = places[lane.rawValue] { return place.number }
        var interface = CapturedInterface(device, description: "\(lane) of \(device)")
        interface.snapLength = UInt32(snapLength ?? 0)
        let number = add(interface)
        places[lane.rawValue] = Place(number: number)
        return number
    }

    /// Counts packets of a lane that has a number.
    mutating func count(_ packets: Int, in lane: Lane) { places[lane.rawValue]?.packets += UInt64(packets) }

    /// For each lane that has a number, its packets.
    var counts: [(number: Int, packets: UInt64)] { places.compactMap { $0 }.map { ($0.number, $0.packets) } }

    /// The begin of the comment of a packet.
    mutating func words(_ lane: Lane, _ fate: PacketLog.Fate, _ reason: PumpDrop?) -> [UInt8] {
        let key = lane.rawValue << 16 | Int(fate.rawValue) << 8 | Int(reason?.rawValue ?? .max)
        if let known = words[key] { return known }
        let outcome = PacketFate.Outcome(fate)
        let new = PacketFate(lane: "\(lane)", outcome, reason: reason.map { "\($0)" }, due: .zero, delay: nil).words
        words[key] = new
        return new
    }
}

extension PacketFate.Outcome {
    init(_ fate: PacketLog.Fate) {
        self =
            switch fate {
            case .passed: .passed
            case .duplicate: .duplicate
            case .corrupted: .corrupted
            case .marked: .marked
            case .dropped: .dropped
            }
    }
}
