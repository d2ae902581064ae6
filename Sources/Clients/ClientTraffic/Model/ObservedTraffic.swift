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
    /// Counts of connections and packets for which there was no memory.
    package var unkept = UnkeptTraffic()
    /// The link's record of the packets.
    package var link = LinkRecord()

    package init() {}
}

/// The link's record: how well it did what was asked, as its packets tell.
package struct LinkRecord: Hashable, Sendable {
    /// The number of packets in the capture.
    package var packets = 0
    /// Bytes of all packets.
    package var bytes = 0
    /// Packets that the link did not deliver, by reason; nil for one that is not known.
    package var dropped: [DropReason?: Int] = [:]
    /// Packets that were not captured for lack of memory, as far as the capture tells.
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
    /// Late packets, in order: the moment, and the lateness. Only those late by 5 ms or more; at most one for each 10
    /// ms, the worst.
    package var late: [Late] = []
    /// The time at which the latest packet was sent; nil without packets.
    package var latest: Instant?
    /// The link's traffic, by time.
    package var history = LinkHistory()

    /// Packets that were on the link when it ended: neither delivered nor lost.
    package var undelivered: Int { dropped[.stopped] ?? 0 }

    /// A packet that came late.
    package struct Late: Hashable, Sendable {
        /// The time at which it was delivered.
        package var delivered: Instant
        /// The time after it was due.
        package var lateness: Duration

        package init(_ delivered: Instant, by lateness: Duration) {
            (self.delivered, self.lateness) = (delivered, lateness)
        }
    }
}
