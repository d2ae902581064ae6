// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles

/// A packet, and the facts about it that faults match.
struct FaultContext {
    let packet: FaultedPacket
    /// The server name of the ClientHello that the packet completes, or "" if it has no name; nil if the packet
    /// completes none.
    let hello: String?
    /// The DNS query in the packet; nil if there is none.
    let query: DNSQueryView?
    /// The current time: nanoseconds of a monotonic clock.
    let now: Int64

    init(_ packet: FaultedPacket, _ hello: String?, at now: Int64) {
        (self.packet, self.hello, self.now) = (packet, hello, now)
        query = DNSQueryView(packet)
    }
}
