// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles

/// The lanes of a device as interfaces of a capture.
struct RecordedLanes {
    private let device: String
    private let snapLength: Int?
    /// Each lane's number in the capture, and the number of its packets so far; nil for a lane without a number.
    private var lanes = [(number: Int, packets: UInt64)?](repeating: nil, count: Lane.allCases.count)
    /// The notes of each lane that is not described yet, in the order of the times from which they apply.
    private var notes = [[(time: Int64, note: LaneNote)]](repeating: [], count: Lane.allCases.count)
    /// The starts of comments that were made before, by lane and fate.
    private var words = [[Fate: [UInt8]]](repeating: [:], count: Lane.allCases.count)

    init(device: String, snapLength: Int?) {
        self.device = device
        self.snapLength = snapLength
    }

    /// Notes what decides about the packets of a lane that arrive at this time or later.
    mutating func note(_ note: LaneNote, of lane: Lane, at time: Int64) {
        guard lanes[lane.rawValue] == nil else { return }
        notes[lane.rawValue].append((time, note))
    }

    /// Returns the number of a lane in the capture; `add` describes a new lane and gives it a number. The description
    /// has the note that applies to a packet that arrived at `time`, the lane's first in the file.
    mutating func number(of lane: Lane, at time: Int64, _ add: (CapturedInterface) -> Int) -> Int {
        if let known = lanes[lane.rawValue] { return known.number }
        var interface = CapturedInterface(lane, of: device, snapLength: UInt32(snapLength ?? 0))
        let note = notes[lane.rawValue].last { $0.time <= time }?.note
        interface.comment = note.flatMap { $0.words.isEmpty ? nil : $0.comment }
        notes[lane.rawValue] = []
        let number = add(interface)
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
