// SPDX-License-Identifier: Apache-2.0

/// A packet that asks for an answer, such as ping's.
package struct Probe: Hashable, Sendable {
    /// When it was sent, in seconds.
    package var time: Double
    /// The seconds until its answer; nil if there was none.
    package var trip: Double?
    /// The length of its frame: the IP packet and 14 bytes.
    package var bytes: Int

    package init(time: Double, trip: Double?, bytes: Int) { (self.time, self.trip, self.bytes) = (time, trip, bytes) }
}

/// What a recording tells of a link, before anything is fitted to it.
package struct LinkSamples: Sendable {
    /// The other end; nil if the recording has no round trips.
    package var peer: String?
    /// In the order in which they were sent.
    package var probes: [Probe] = []
    /// Whether unanswered probes are lost packets.
    package var countsLoss = true
    /// Whether answers came in another order than the probes were sent.
    package var isReordered = false
    /// What each direction carried: from a capture only.
    package var downlink: Transfer?
    package var uplink: Transfer?
    /// What was assumed or left out, a sentence each.
    package var remarks: [String] = []

    package init() {}

    /// The least round trip but for a hundredth, in seconds; nil without answers.
    var leastTrip: Double? {
        let trips = probes.compactMap(\.trip).sorted()
        return trips.isEmpty ? nil : trips.quantile(0.01)
    }

    /// What most of the round trips lie within, in seconds.
    var spread: Double { probes.compactMap(\.trip).sorted().spread }
}

/// What TCP transfers tell of one direction.
package struct Transfer: Sendable {
    /// How much has passed until a moment.
    struct Mark: Hashable, Sendable {
        /// In nanoseconds.
        var time: Int64
        var bytes: Int64
        /// The latest round trip in seconds; nil if none is known.
        var trip: Double?
    }

    /// A mark for so many packets: captures of any size are kept in a small part of it.
    private static let step = 8

    private(set) var marks: [Mark] = []
    private(set) var bytes: Int64 = 0
    private var packets = 0
    /// The latest round trip in seconds.
    var trip: Double?
    /// Whether each segment was lost, in the order of their first sending.
    var isLost: [Bool] = []
    /// The round trips at the times of losses: a full queue has a long one.
    var tripsAtLoss: [Double] = []

    package init() {}

    /// Adds a frame that passed the link.
    mutating func add(at time: Int64, bytes more: Int) {
        bytes += Int64(more)
        packets += 1
        if packets % Self.step == 1 { marks.append(Mark(time: time, bytes: bytes, trip: trip)) }
    }

    /// Adds segments of which `lost` in a row were lost.
    mutating func lose(_ lost: Int) {
        isLost.append(contentsOf: repeatElement(true, count: lost))
        if let trip { tripsAtLoss.append(trip) }
    }
}
