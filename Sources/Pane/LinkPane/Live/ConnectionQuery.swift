// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import PacketPump

/// A request for connections: what to search for, how to sort, and which part of the result to return.
struct ConnectionQuery: Sendable {
    /// A word of the request that cannot be read, and the field that it stands in.
    struct Mistake: Error, Hashable {
        let message: String
        let field: String
    }

    private var conditions: [Condition] = []
    private var column = Column.seen
    private var isDescending = true
    private var from = 0
    private var count = 200

    /// The most rows of one answer.
    private static let maximumCount = 1_000
    /// The longest search and the most words of it: each word is compared with each row.
    private static let maximumLength = 500

    /// Reads the parameters of `GET /v1/connections`.
    init(_ parameters: [String: String]) throws(Mistake) {
        let search = parameters["search"] ?? ""
        guard search.utf8.count <= Self.maximumLength else {
            throw Mistake(message: "the search is longer than \(Self.maximumLength) bytes", field: "search")
        }
        for word in search.split(separator: " ") { conditions.append(try Condition(word)) }
        if let word = parameters["sort"], !word.isEmpty {
            guard let column = Column(rawValue: word) else {
                throw Mistake(message: "cannot sort by \"\(word.shortened)\": use \(Column.list)", field: "sort")
            }
            self.column = column
            isDescending = column.isNumber
        }
        if let word = parameters["descending"], !word.isEmpty {
            guard ["0", "1"].contains(word) else { throw Mistake(message: "descending is 0 or 1", field: "descending") }
            isDescending = word == "1"
        }
        from = try Self.number(parameters, "from", default: from, maximum: 1 << 20)
        count = try Self.number(parameters, "count", default: count, maximum: Self.maximumCount)
    }

    private static func number(
        _ parameters: [String: String],
        _ name: String,
        default value: Int,
        maximum: Int
    ) throws(Mistake) -> Int {
        guard let word = parameters[name], !word.isEmpty else { return value }
        guard let number = Int(word), (0...maximum).contains(number) else {
            throw Mistake(message: "\(name) is a number from 0 to \(maximum)", field: name)
        }
        return number
    }

    /// The rows that match, sorted; and of these the part that was asked for.
    func select(_ rows: [ConnectionRow]) -> (total: Int, rows: [ConnectionRow]) {
        let found = conditions.isEmpty ? rows : rows.filter { row in conditions.allSatisfy { $0.matches(row) } }
        // Made once for each row; and indices are moved in a tenth of the time of rows.
        let keys = found.map(column.key)
        let order = found.indices.sorted { left, right in
            // Rows without the value are last either way; equal ones keep their order from request to request.
            switch (keys[left], keys[right]) {
            case (nil, nil): found[left].id < found[right].id
            case (_, nil): true
            case (nil, _): false
            case (let one?, let two?):
                one == two ? found[left].id < found[right].id : isDescending ? two < one : one < two
            }
        }
        return (found.count, order.dropFirst(from).prefix(count).map { found[$0] })
    }
}

extension ConnectionQuery {
    /// A column of the table.
    enum Column: String, CaseIterable, Sendable {
        case process, transport, client, peer, name, state, rule
        case seen, sent, received, delivered, retransmissions, lost, own, age, idle

        static let list = allCases.map(\.rawValue).joined(separator: ", ")

        /// Whether a click on the column shows the largest first.
        var isNumber: Bool {
            switch self {
            case .process, .transport, .client, .peer, .name, .state, .rule: false
            case .seen, .sent, .received, .delivered, .retransmissions, .lost, .own, .age, .idle: true
            }
        }

        enum Key: Comparable {
            case number(Double)
            case text(String)
        }

        func key(_ row: ConnectionRow) -> Key? {
            if isNumber { return number(row).map { .number($0) } }
            return switch self {
            case .process: row.process.map { .text($0) }
            case .transport: .text(row.transport)
            case .client: .text(row.client.text)
            case .peer: .text(row.peer.text)
            case .name: row.name.map { .text($0) }
            case .state: row.state.isEmpty ? nil : .text(row.state)
            default: row.rule.map { .text($0) }
            }
        }

        func number(_ row: ConnectionRow) -> Double? {
            switch self {
            case .seen: row.seen == .init() ? nil : Double(row.seen.sum)
            case .sent: row.seen.up.map { Double($0) }
            case .received: row.delivered.down.map { Double($0) }
            case .delivered: row.delivered == .init() ? nil : Double(row.delivered.sum)
            case .retransmissions: row.retransmissions.map { Double($0) }
            case .lost: row.lost == nil ? nil : Double(row.lostPackets)
            case .own: row.own.map { Double($0) }
            case .age: row.age
            case .idle: row.idle
            default: nil
            }
        }
    }
}
