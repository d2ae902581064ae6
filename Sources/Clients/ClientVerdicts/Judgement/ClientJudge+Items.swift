// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import LinkProfiles

/// Names what a count that is too high consists of: the packets alone do not tell which page or peer it is about.
extension ClientJudge {
    /// The maximum numbers of names, and of characters of a name.
    private static let maximumCounted = 3
    private static let maximumLength = 80

    /// ": GET shop.test/a (2 times), GET shop.test/b" for requests, ", to 127.0.0.1:80 (3 times)" for connections, and
    /// the names in DNS queries; empty for other counts, and where the expectation names the only peer.
    func itemWords(_ packets: [ObservedPacket], of what: ClientExpectation.Countable, _ peer: Peer?) -> String {
        let numbers = Set(packets.map(\.number))
        switch what {
        case .requests:
            let all = traffic.connections.flatMap { connection in
                connection.requests.map { (name: $0.name(at: connection.server), packet: $0.packet.number) }
            }
            return Self.phrase(": ", all.filter { numbers.contains($0.packet) })
        case .dnsQueries:
            let all = traffic.nameQueries.map { (name: $0.name, packet: $0.packet.number) }
            return Self.phrase(": ", all.filter { numbers.contains($0.packet) })
        case .connections, .connectionAttempts, .connectionsAtATime:
            guard peer == nil else { return "" }
            let all = traffic.connections.compactMap { connection in
                connection.firstPacket.map { (name: "\(connection.server)", packet: $0.number) }
            }
            return Self.phrase(", to ", all.filter { numbers.contains($0.packet) })
        case .retransmissions, .bytes: return ""
        }
    }

    /// The names in the order of their first packets, each once with its number of times.
    private static func phrase(_ start: String, _ all: [(name: String, packet: Int)]) -> String {
        var times: [String: Int] = [:]
        var names: [String] = []
        for each in all.sorted(by: { $0.packet < $1.packet }) {
            times[each.name, default: 0] += 1
            if times[each.name] == 1 { names.append(each.name) }
        }
        guard !names.isEmpty else { return "" }
        let shown = names.prefix(maximumCounted).map { name in
            let text = name.count > maximumLength ? "\(name.prefix(maximumLength - 1))…" : name
            return times[name] == 1 ? text : "\(text) (\(times[name] ?? 0) times)"
        }
        let more = names.count > shown.count ? " and \(names.count - shown.count) more" : ""
        return start + shown.joined(separator: ", ") + more
    }
}

extension ObservedRequest {
    /// "GET shop.test/a"; with the server's endpoint if the request names no host.
    fileprivate func name(at server: Endpoint) -> String {
        target.hasPrefix("/") ? "\(method) \(host ?? "\(server)")\(target)" : "\(method) \(target)"
    }
}
