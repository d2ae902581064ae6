// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles

/// The lanes of a device as interfaces of a capture.
struct RecordedLanes {
    private let device: String
    private let snapLength: Int?
    /// Each lane's number in the capture, and the number of its packets so far; nil for a lane without a number.
    private var lanes = [(number: Int, packets: UInt64)?](repeating: nil, count: Lane.allCases.count)
    /// The starts of comments that were made before, by lane and fate.
    private var words = [[Fate: [UInt8]]](repeating: [:], count: Lane.allCases.count)

    init(device: String, snapLength: Int?) {
        self.device = device
        self.snapLength = snapLength
    }

    /// Returns the number of a lane in the capture; `add` describes a new lane and gives it a number.
    mutating func number(of lane: Lane, _ add: (CapturedInterface) -> Int) -> Int {
        if let known = lanes[lane.rawValue] { return known.number }
        let number = add(CapturedInterface(lane, of: device, snapLength: UInt32(snapLength ?? 0)))
        lanes[lane.rawValue] = (number, 0)
        return number
    }

    /// Counts packets of a lane that has a number.
    mutating func count(_ packets: Int, in lane: Lane) { lanes[lane.rawValue]?.packets += UInt64(packets) }

    /// The numbers of the lanes in the capture, and the number of packets of each.
    var counts: [(number: Int, packets: UInt64)] { lanes.compactMap(\.self) }

    /// The start of the comment of a packet with this lane and fate.
    mutating func words(_ lane: Lane, _ fate: Fate) -> [UInt8] {
        if let known = words[lane.rawValue][fate] { return known }
        let new = PacketFate.words(lane, fate)
        words[lane.rawValue][fate] = new
        return new
    }
}
