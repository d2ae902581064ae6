// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic

extension UnplacedPackets {
    /// The maximum number of additional items of kind `what` among the damaged packets.
    func maximum(_ what: ClientExpectation.Countable, in span: JudgedPeriod) -> Int {
        switch what {
        case .connections, .connectionsAtATime: openings.count { $0 < span.end }
        case .connectionAttempts: openings.count { span.contains($0) }
        case .dnsQueries: queries.count { span.contains($0) }
        // A retransmission of a damaged earlier segment looks like a first transmission.
        case .retransmissions: segments.count { $0 < span.end }
        case .requests: data.count { span.contains($0) }
        case .bytes: bytes
        }
    }
}
