// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// What a capture says of a client.
package struct ObservedTraffic: Hashable, Sendable {
    /// The connections, in the order of their first packets.
    package var connections: [Connection] = []
    /// The DNS queries, in the order in which they were sent; a query that is sent again is one more.
    package var nameQueries: [NameQuery] = []
    /// The packets of DNS over UDP, which are no connections, in the order of the capture.
    package var nameMessages: [NameMessage] = []
    /// What there was no memory for.
    package var unkept = UnkeptTraffic()
    /// How the link carried the packets.
    package var link = LinkRecord()

    package init() {}
}

/// How well the link did what was asked, as its packets tell.
package struct LinkRecord: Hashable, Sendable {
    /// All packets of the capture.
    package var packets = 0
    /// Bytes of all packets.
    package var bytes = 0
    /// Packets that the link did not deliver, by reason; nil for one that is not known.
    package var dropped: [DropReason?: Int] = [:]
    /// Packets that were not captured for want of room, as far as the capture tells.
    package var missing = 0
    /// Why: "No space left on device"; nil if the capture does not tell.
    package var missingReason: String?
    /// Whether what recorded the packets has told at the end how many there were: it was not killed before.
    package var isClosed = false
    /// Packets that were read in the wrong order: they stand in the capture long after others that were sent later.
    package var disordered = 0
    /// Packets of which a bit was changed, and that are part of nothing that was read.
    package var unplaced = UnplacedPackets()
    /// Packets that were delivered later than the model says, by how much: the worst of them.
    package var worstLateness = Duration.zero
    /// When packets were delivered late, in order: the moment, and by how much. Only those late by 5 ms or more; at most
    /// one for each 10 ms, the worst.
    package var late: [Late] = []
    /// When the latest packet was sent; nil without packets.
    package var latest: Instant?
    /// What it carried, by time.
    package var history = LinkHistory()

    /// Packets that were on the link when it ended: neither delivered nor lost.
    package var undelivered: Int { dropped[.stopped] ?? 0 }

    /// A packet that came late.
    package struct Late: Hashable, Sendable {
        /// When it was delivered.
        package var delivered: Instant
        /// The time after it was due.
        package var lateness: Duration

        package init(_ delivered: Instant, by lateness: Duration) {
            (self.delivered, self.lateness) = (delivered, lateness)
        }
    }
}
