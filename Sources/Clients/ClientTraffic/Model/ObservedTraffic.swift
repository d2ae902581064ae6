// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The traffic of a client in a capture.
package struct ObservedTraffic: Hashable, Sendable {
    /// The connections, in the order of their first packets.
    package var connections: [Connection] = []
    /// The DNS queries, in the order in which they were sent; each retransmission counts as a query.
    package var nameQueries: [NameQuery] = []
    /// The packets of DNS over UDP, which do not count as connections, in the order of the capture.
    package var nameMessages: [NameMessage] = []
    /// Counts of connections and packets for which there was no memory.
    package var unkept = UnkeptTraffic()
    /// The link's record of the packets.
    package var link = LinkRecord()

    package init() {}
}

/// The link's treatment of the captured packets, and the completeness of the capture.
package struct LinkRecord: Hashable, Sendable {
    /// The number of packets in the capture.
    package var packets = 0
    /// Bytes of all packets.
    package var bytes = 0
    /// Packets that the link did not deliver, by reason; nil for an unknown reason.
    package var dropped: [DropReason?: Int] = [:]
    /// Packets that were not captured for lack of memory, as recorded in the capture.
    package var missing = 0
    /// The reason for `missing`, such as "No space left on device"; nil if the capture gives none.
    package var missingReason: String?
    /// Whether the capture ends with its statistics: the process that wrote it was not killed before.
    package var isClosed = false
    /// Packets that were read out of order: they come in the capture long after packets that were sent later.
    package var disordered = 0
    /// Damaged packets that could not be assigned to a connection.
    package var unplaced = UnplacedPackets()
    /// The greatest lateness of a packet: the time from when it was due by the link's model to its delivery.
    package var worstLateness = Duration.zero
    /// Packets late by 5 ms or more, in order of delivery; of each period of 10 ms, only the packet with the greatest
    /// lateness.
    package var late: [LateDelivery] = []
    /// The time at which the latest packet was sent; nil without packets.
    package var latest: Instant?
    /// The link's traffic, by time.
    package var history = LinkHistory()

    /// Packets that were still on the link when it was stopped: neither delivered nor lost.
    package var undelivered: Int { dropped[.stopped] ?? 0 }

    /// A packet that was delivered late.
    package struct LateDelivery: Hashable, Sendable {
        /// The time at which the packet was delivered.
        package var delivered: Instant
        /// The time from when the packet was due to its delivery.
        package var lateness: Duration

        package init(_ delivered: Instant, by lateness: Duration) {
            (self.delivered, self.lateness) = (delivered, lateness)
        }
    }
}
