// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

extension LinkPipeline {
    /// A packet that arrives at a simulated link.
    public struct Arrival: Hashable, Sendable {
        /// The time of arrival.
        public var time: LinkTime
        /// The length of the IP packet plus 14 bytes.
        public var frameBytes: Int
        /// The congestion notification that the packet allows.
        public var ecn: ECNSupport
        /// Tells flows apart in queues that have one for each.
        public var flow: UInt16
        /// The index that selects the packet's random numbers; nil for its position among the arrivals.
        public var index: UInt64?

        /// Makes an arrival.
        public init(time: LinkTime, frameBytes: Int, ecn: ECNSupport = .none, index: UInt64? = nil, flow: UInt16 = 0) {
            self.time = time
            self.frameBytes = frameBytes
            self.ecn = ecn
            self.index = index
            self.flow = flow
        }
    }

    /// Runs packets through the pipeline, without waiting, and calls `body` for each copy in the order of time.
    ///
    /// Arrivals must be in the order of their times; tags number them from 0. A packet that is dropped on arrival has
    /// a departure at that time. Packets that are never sent, because the rate stays zero, have none.
    public mutating func simulate(_ arrivals: some Sequence<Arrival>, _ body: (Departure) -> Void) {
        var tag: UInt32 = 0
        for arrival in arrivals {
            while let departure = popDeparture(upTo: arrival.time) { body(departure) }
            let admission = accept(
                arrival: arrival.time,
                frameBytes: arrival.frameBytes,
                ecn: arrival.ecn,
                tag: tag,
                index: arrival.index,
                flow: arrival.flow
            )
            if case .dropped(let reason) = admission {
                body(Departure(tag: tag, due: arrival.time, copy: 0, isMarked: false, corruptedBit: nil, drop: reason))
            }
            tag &+= 1
        }
        while let departure = popDeparture(upTo: .never) { body(departure) }
    }
}
