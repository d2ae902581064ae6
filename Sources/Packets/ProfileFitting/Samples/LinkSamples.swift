// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// A packet that asks for an answer, such as ping's.
package struct ProbeSample: Hashable, Sendable {
    /// The sending time, in seconds.
    package var time: Double
    /// The seconds until its answer; nil if there was none.
    package var trip: Double?
    /// The length of its frame: the IP packet and 14 bytes.
    package var bytes: Int

    package init(time: Double, trip: Double?, bytes: Int) { (self.time, self.trip, self.bytes) = (time, trip, bytes) }
}

/// The samples of a link in a recording, before anything is fitted to them.
package struct LinkSamples: Sendable {
    /// The other end's address; nil if the recording has no round trips.
    package var peer: String?
    /// The probes in the order in which they were sent.
    package var probes: [ProbeSample] = []
    /// Whether unanswered probes are lost packets.
    package var countsLoss = true
    /// Whether answers came in another order than the probes were sent.
    package var isReordered = false
    /// The transfers of each direction: from a capture only.
    package var downlink: Transfer?
    package var uplink: Transfer?
    /// Assumptions and omissions, a sentence each.
    package var remarks: [String] = []

    package init() {}

    /// Adds a remark, once.
    mutating func remark(_ text: String) { if !remarks.contains(text) { remarks.append(text) } }

    /// The least round trip but for a hundredth, in seconds; nil without answers.
    var minimumTrip: Double? {
        let trips = probes.compactMap(\.trip).sorted()
        return trips.isEmpty ? nil : trips.midpointQuantile(0.01)
    }

    /// The width of the range of most round trips, in seconds.
    var spread: Double { probes.compactMap(\.trip).sorted().spread }
}

/// The samples of one direction from TCP transfers.
package struct Transfer: Sendable {
    /// The bytes that have passed until a moment.
    struct Mark: Hashable, Sendable {
        /// The time in nanoseconds.
        var time: Int64
        var bytes: Int64
        /// The latest round trip in seconds; nil if none is known.
        var trip: Double?
    }

    /// A mark for so many packets: captures of any size are kept in a small part of it.
    private static let step = 8
    /// At most this many segments are searched for losses: packets that claim any length must not claim the memory.
    static let maximumSegments = 1 << 22

    private(set) var marks: [Mark] = []
    private(set) var bytes: Int64 = 0
    private var packets = 0
    /// The latest round trip in seconds.
    var trip: Double?
    /// Whether each segment was lost, in the order of their first sending.
    private(set) var isLost: [Bool] = []
    /// The round trips at the times of losses: a full queue has a long one.
    var tripsAtLoss: [Double] = []

    package init() {}

    /// Adds a frame that passed the link.
    mutating func add(at time: Int64, bytes more: Int) {
        bytes += Int64(more)
        packets += 1
        if packets % Self.step == 1 { marks.append(Mark(time: time, bytes: bytes, trip: trip)) }
    }

    /// Whether there is room for no more segments.
    var isFull: Bool { isLost.count == Self.maximumSegments }

    /// Adds segments that were lost in a row, or were not, as far as there is room.
    ///
    /// - Returns: their places among all.
    @discardableResult
    mutating func addSegments(_ count: Int, areLost: Bool) -> Range<Int> {
        let start = isLost.count
        isLost.append(contentsOf: repeatElement(areLost, count: min(count, Self.maximumSegments - start)))
        if areLost, let trip { tripsAtLoss.append(trip) }
        return start..<isLost.count
    }

    /// Segments that came late, and are not lost.
    mutating func findSegments(_ indices: Range<Int>) { for index in indices { isLost[index] = false } }

    /// Counts a segment that was sent as lost; once.
    mutating func loseSegment(_ index: Int) {
        guard isLost.indices.contains(index), !isLost[index] else { return }
        isLost[index] = true
        if let trip { tripsAtLoss.append(trip) }
    }
}
