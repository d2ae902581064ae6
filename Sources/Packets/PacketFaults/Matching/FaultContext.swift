// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles

/// A packet with what faults may ask of it.
struct FaultContext {
    let packet: FaultedPacket
    /// The name of the ClientHello that it completes, "" for one without a name; nil if it completes none.
    let hello: String?
    /// The DNS query in it; nil if there is none.
    let query: DNSQueryView?
    /// Nanoseconds of a monotonic clock.
    let now: Int64

    init(_ packet: FaultedPacket, _ hello: String?, at now: Int64) {
        (self.packet, self.hello, self.now) = (packet, hello, now)
        query = DNSQueryView(packet)
    }
}
