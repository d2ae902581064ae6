// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles

/// The lanes of a device as interfaces of a capture.
struct RecordedLanes {
    private struct Place {
        var number: Int
        var packets: UInt64 = 0
    }

    private let device: String
    private let snapLength: Int?
    private var places = [Place?](repeating: nil, count: Lane.allCases.count)
    /// The words of comments that have been needed, by lane.
    private var words = [[Fate: [UInt8]]](repeating: [:], count: Lane.allCases.count)

    init(device: String, snapLength: Int?) {
        self.device = device
        self.snapLength = snapLength
    }

    /// The number of a lane in the capture, which `add` gives it.
    mutating func number(of lane: Lane, _ add: (CapturedInterface) -> Int) -> Int {
        if let place = places[lane.rawValue] { return place.number }
        let number = add(CapturedInterface(lane, of: device, snapLength: UInt32(snapLength ?? 0)))
        places[lane.rawValue] = Place(number: number)
        return number
    }

    /// Counts packets of a lane that has a number.
    mutating func count(_ packets: Int, in lane: Lane) { places[lane.rawValue]?.packets += UInt64(packets) }

    /// For each lane that has a number, its packets.
    var counts: [(number: Int, packets: UInt64)] { places.compactMap { $0 }.map { ($0.number, $0.packets) } }

    /// The begin of the comment of a packet.
    mutating func words(_ lane: Lane, _ fate: Fate) -> [UInt8] {
        if let known = words[lane.rawValue][fate] { return known }
        let new = PacketFate.words(lane, fate)
        words[lane.rawValue][fate] = new
        return new
    }
}
