// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// DNS queries, matched with their answers.
struct NameQueries {
    private struct Key: Hashable {
        var flow: ConnectionKey
        var identifier: UInt16
        var name: String?
    }

    /// The maximum number of queries with the same key that an answer is matched with.
    private static let maximumSame = 64

    private var queries: [NameQuery] = []
    /// The indices of the queries with the same key, the newest last.
    private var asked: [Key: [Int]] = [:]
    /// The sending time of the answer to each query, delivered or not, by the query's index.
    private var replies: [Int: Instant] = [:]
    private(set) var names = AddressNames()

    /// Adds a message.
    ///
    /// - Parameters:
    ///   - first: the packet with the message's first byte.
    ///   - last: the packet with the message's last byte; an answer is delivered with it.
    ///   - ends: the sender and the receiver; over TCP, always the client and the server.
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
            // A server that cannot parse a query answers without the question: the key without a name matches such an
            // answer.
            for name in [name, nil] {
                let key = Key(flow: flow, identifier: message.identifier, name: name)
                asked[key, default: []].append(queries.count - 1)
                if asked[key, default: []].count > Self.maximumSame { asked[key]?.removeFirst() }
            }
        }
    }

    /// Adds a name of an address from the capture file.
    mutating func note(_ name: String, of address: [UInt8]) { names.note(name, of: address) }

    private mutating func answer(
        _ message: DNSMessage,
        _ name: String?,
        in flow: ConnectionKey,
        _ packet: ObservedPacket
    ) {
        let key = Key(flow: flow, identifier: message.identifier, name: name)
        guard let indices = asked[key] else { return }
        // The server answers each delivered query, though the answer may be lost. A copy that the link made has the
        // sending time of the answer, and belongs to the same query.
        let same = indices.first { replies[$0] == packet.sent }
        let next = indices.first { index in
            replies[index] == nil && queries[index].packet.delivered.map { $0 <= packet.sent } ?? false
        }
        // Otherwise, the latest unanswered query: the server may answer a copy of a query, too, and the capture may not
        // show which queries were delivered.
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
