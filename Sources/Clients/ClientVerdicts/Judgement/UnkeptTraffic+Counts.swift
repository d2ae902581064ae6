// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

extension UnkeptTraffic {
    /// The minimum and maximum number of unkept items of kind `what`.
    func count(of what: ClientExpectation.Countable) -> ClosedRange<Int> {
        // The content of connections that are not kept was not read.
        let hidden = connections == 0 ? 0 : Int.max
        return switch what {
        case .connections, .connectionAttempts, .connectionsAtATime: 0...connections
        case .requests: requests...max(requests, hidden)
        case .dnsQueries: nameQueries...max(nameQueries, hidden)
        case .retransmissions: retransmissions...max(retransmissions, hidden)
        case .bytes: 0...bytes
        }
    }

    /// A sentence on the traffic that was not kept; nil if all was.
    var words: String? {
        guard self != UnkeptTraffic() else { return nil }
        let counts = [
            (connections, "connection"), (requests, "request"), (nameQueries, "DNS query"), (packets, "packet"),
        ].filter { $0.0 > 0 }
        let parts = counts.map { $1 == "DNS query" && $0 != 1 ? "\($0) DNS queries" : counted($0, $1) }
        let more = parts.isEmpty ? "\(bytes) bytes" : parts.joined(separator: ", ")
        return "the memory for what the client did was full, and of \(more) more only the number is known"
    }
}
