// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// DNS queries, and which answer belongs to which.
struct NameQueries {
    private struct Key: Hashable {
        var flow: ConnectionKey
        var identifier: UInt16
        var name: String?
    }

    /// Queries sent again of which an answer may be.
    private static let maximumSame = 64

    private var queries: [NameQuery] = []
    /// The queries with the same key, the newest last.
    private var asked: [Key: [Int]] = [:]
    /// The sending times of the answers to queries, delivered or not.
    private var replies: [Int: Instant] = [:]
    private(set) var names = AddressNames()

    /// Adds a message.
    ///
    /// - Parameters:
    ///   - first: the packet of its first byte.
    ///   - last: the packet of its last byte, which brings an answer.
    ///   - ends: its sender, and whom it was sent to.
    mutating func add(
        _ message: DNSMessage,
        in flow: ConnectionKey,
        first: ObservedPacket,
        last: ObservedPacket,
        ends: (source: Endpoint, destination: Endpoint),
        _ budget: ReadingBudget
    ) {
        let question = message.questions.first
        let name = question?.name.lowercased()
        if message.isAnswer {
            if budget.reserve(ReadingBudget.Size.name * message.addresses.count) { names.add(message, last) }
            answer(message, name, in: flow, last)
        } else if let question, budget.reserveQuery() {
            queries.append(
                NameQuery(
                    name: question.name,
                    type: question.type,
                    packet: first,
                    client: ends.source,
                    server: ends.destination
                )
            )
            // A server that understands nothing repeats no question.
            for name in [name, nil] {
                let key = Key(flow: flow, identifier: message.identifier, name: name)
                asked[key, default: []].append(queries.count - 1)
                if asked[key, default: []].count > Self.maximumSame { asked[key]?.removeFirst() }
            }
        }
    }

    /// Notes a name of an address that the file itself tells.
    mutating func note(_ name: String, of address: [UInt8]) { names.note(name, of: address) }

    private mutating func answer(
        _ message: DNSMessage,
        _ name: String?,
        in flow: ConnectionKey,
        _ packet: ObservedPacket
    ) {
        let key = Key(flow: flow, identifier: message.identifier, name: name)
        guard let indices = asked[key] else { return }
        // Each query that comes to the server gets one, though it may be lost; a copy of the link's belongs to the same.
        let same = indices.first { replies[$0] == packet.sent }
        let next = indices.first { index in
            replies[index] == nil && queries[index].packet.delivered.map { $0 <= packet.sent } ?? false
        }
        // The server may answer a copy too, and the capture may not tell what came to it.
        guard let index = same ?? next ?? indices.last(where: { queries[$0].answer == nil }) else { return }
        replies[index] = packet.sent
        guard packet.delivered != nil, queries[index].answer == nil else { return }
        queries[index].answer = packet
        queries[index].code = message.code
        queries[index].addresses = message.addresses.map(\.address)
    }

    /// All queries, in the order in which they were sent.
    var inOrder: [NameQuery] {
        queries.sorted { ($0.packet.sent, $0.packet.number) < ($1.packet.sent, $1.packet.number) }
    }
}
