// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic

extension UnplacedPackets {
    /// The possible number of additional items of what is counted.
    func maximum(_ what: ClientExpectation.Countable, in span: Span) -> Int {
        switch what {
        case .connections, .connectionsAtATime: openings.count { $0 < span.end }
        case .connectionAttempts: openings.count { span.contains($0) }
        case .dnsQueries: queries.count { span.contains($0) }
        // An earlier segment makes a later one look like the first.
        case .retransmissions: segments.count { $0 < span.end }
        case .requests: data.count { span.contains($0) }
        case .bytes: bytes
        }
    }
}
