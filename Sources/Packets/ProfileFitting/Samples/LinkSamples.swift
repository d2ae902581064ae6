// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// A packet that requests an answer, such as a ping.
package struct ProbeSample: Hashable, Sendable {
    /// The sending time, in seconds.
    package var time: Double
    /// The round-trip time in seconds; nil without an answer.
    package var trip: Double?
    /// The length of the probe's frame: the IP packet and 14 bytes.
    package var bytes: Int

    package init(time: Double, trip: Double?, bytes: Int) { (self.time, self.trip, self.bytes) = (time, trip, bytes) }
}

/// The samples of a link in a recording, before anything is fitted to them.
package struct LinkSamples: Sendable {
    /// The other end's address; nil if the recording has no round trips.
    package var peer: String?
    /// The probes in the order in which they were sent.
    package var probes: [ProbeSample] = []
    /// Whether unanswered probes count as lost packets.
    package var countsLoss = true
    /// Whether answers arrived in a different order from their probes.
    package var isReordered = false
    /// The transfers of each direction; nil unless the recording is a capture.
    package var downlink: Transfer?
    package var uplink: Transfer?
    /// Assumptions and omissions, a sentence each.
    package var remarks: [String] = []

    package init() {}

    /// Adds a remark, once.
    mutating func remark(_ text: String) { if !remarks.contains(text) { remarks.append(text) } }

    /// The first percentile of the round trips, in seconds; nil without answers.
    var minimumTrip: Double? {
        let trips = probes.compactMap(\.trip).sorted()
        return trips.isEmpty ? nil : trips.midpointQuantile(0.01)
    }

    /// The width of the range that contains the middle four fifths of the round trips, in seconds.
    var spread: Double { probes.compactMap(\.trip).sorted().spread }
}

/// The samples of one direction from TCP transfers.
package struct Transfer: Sendable {
    /// The number of bytes that have passed up to a time.
    struct Mark: Hashable, Sendable {
        /// The time in nanoseconds.
        var time: Int64
        var bytes: Int64
        /// The latest round trip in seconds; nil if none is known.
        var trip: Double?
    }

    /// The number of packets per mark: one mark for several packets keeps the memory for a long capture small.
    private static let step = 8
    /// The maximum number of segments in `isLost`: limited because packets may claim any length.
    static let maximumSegments = 1 << 22

    private(set) var marks: [Mark] = []
    private(set) var bytes: Int64 = 0
    private var packets = 0
    /// The latest round trip in seconds.
    var trip: Double?
    /// Whether each segment was lost, in the order of first transmission.
    private(set) var isLost: [Bool] = []
    /// The round trips at the times of losses: if a full queue causes the losses, they are long.
    var tripsAtLoss: [Double] = []

    package init() {}

    /// Adds a frame that passed the link.
    mutating func add(at time: Int64, bytes more: Int) {
        bytes += Int64(more)
        packets += 1
        if packets % Self.step == 1 { marks.append(Mark(time: time, bytes: bytes, trip: trip)) }
    }

    /// Whether `isLost` has reached its maximum size.
    var isFull: Bool { isLost.count == Self.maximumSegments }

    /// Adds `count` consecutive segments that were all lost or all received, as far as there is room.
    ///
    /// - Returns: the indices of the segments in `isLost`.
    @discardableResult
    mutating func addSegments(_ count: Int, areLost: Bool) -> Range<Int> {
        let start = isLost.count
        isLost.append(contentsOf: repeatElement(areLost, count: min(count, Self.maximumSegments - start)))
        if areLost, let trip { tripsAtLoss.append(trip) }
        return start..<isLost.count
    }

    /// Marks segments as not lost after all, because they arrived late.
    mutating func findSegments(_ indices: Range<Int>) { for index in indices { isLost[index] = false } }

    /// Marks a sent segment as lost, unless it is marked already.
    mutating func loseSegment(_ index: Int) {
        guard isLost.indices.contains(index), !isLost[index] else { return }
        isLost[index] = true
        if let trip { tripsAtLoss.append(trip) }
    }
}
