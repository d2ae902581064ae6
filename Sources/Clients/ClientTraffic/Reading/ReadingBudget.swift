// SPDX-License-Identifier: Apache-2.0

/// The memory for a client's traffic. Once it is used up, further traffic is counted, but not kept.
///
/// All readers of one run's packets share a budget: a client may send anything, and other runs need memory, too.
package final class ReadingBudget {
    /// The bytes for one run, or for all runs side by side.
    package static let ofRun = 256 << 20

    /// The bytes that an item takes, and that judging it takes: as measured, and some more.
    enum Size {
        static let connection = 6500
        /// The keys and ciphers of TLS on a connection, and the tables of HTTP/2.
        static let decoder = 16 << 10
        static let request = 3500
        static let query = 1500
        static let nameMessage = 250
        static let name = 250
        static let packet = 80
    }

    /// The number of unkept attempts to connect that are remembered, to recognize their retransmissions.
    private static let openings = 1 << 16

    /// The bytes that only `reserveConnection` may use: connections are still read when there is no memory for more of
    /// their content.
    private let connectionsOnly: Int
    private var left: Int
    /// Whether there is no memory left for anything but connections; `isFull`: nor for another connection.
    private(set) var isExhausted = false
    private var isFull = false
    private(set) var unkept = UnkeptTraffic()
    /// The hashes of the latest unkept attempts to connect.
    private var latestOpenings: [UInt64] = []

    package init(_ bytes: Int = ofRun) { (left, connectionsOnly) = (bytes, bytes / 4) }

    private init(_ other: ReadingBudget) {
        (left, connectionsOnly, unkept) = (other.left, other.connectionsOnly, other.unkept)
        (isExhausted, isFull, latestOpenings) = (other.isExhausted, other.isFull, other.latestOpenings)
    }

    /// A copy; memory that is reserved from the copy is not taken from the original.
    func copy() -> ReadingBudget { ReadingBudget(self) }

    /// Reserves memory for another connection. Once that fails, it always fails.
    func reserveConnection() -> Bool {
        isFull = isFull || Size.connection > left
        if !isFull { left -= Size.connection }
        precondition(left >= 0, "more memory is taken than there is")
        return !isFull
    }

    /// Reserves memory for anything else. Once that fails, it always fails, even for fewer bytes.
    func reserve(_ bytes: Int) -> Bool {
        isExhausted = isExhausted || bytes > left - connectionsOnly
        precondition(bytes >= 0, "memory is given back")
        if !isExhausted { left -= bytes }
        return !isExhausted
    }

    /// Reserves memory for a packet, or counts the packet as not kept.
    func reservePacket() -> Bool {
        let isKept = reserve(Size.packet)
        if !isKept { unkept.packets += 1 }
        return isKept
    }

    /// Reserves memory for a request, or counts the request as not kept.
    func reserve(_ request: ObservedRequest) -> Bool {
        let isKept = reserve(Size.request + 2 * request.textLength)
        if !isKept { unkept.requests += 1 }
        return isKept
    }

    /// Reserves memory for a DNS query, or counts the query as not kept.
    func reserveQuery() -> Bool {
        let isKept = reserve(Size.query)
        if !isKept { unkept.nameQueries += 1 }
        return isKept
    }

    /// Counts the bytes of a packet that is not kept.
    func count(bytes: Int) { unkept.bytes += bytes }

    /// Counts an attempt to connect, unless it retransmits one of the latest.
    func countOpening(_ hash: Int) {
        if latestOpenings.isEmpty { latestOpenings = Array(repeating: 0, count: Self.openings) }
        let hash = UInt64(UInt(bitPattern: hash))
        let index = Int(hash % UInt64(Self.openings))
        guard latestOpenings[index] != hash else { return }
        latestOpenings[index] = hash
        unkept.connections += 1
    }

    /// Counts a retransmission that is not kept.
    func countRetransmission() { unkept.retransmissions += 1 }
}

extension ObservedRequest {
    /// The bytes of the request's strings.
    fileprivate var textLength: Int {
        [method, target, host, idempotencyKey, contentType, range].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
}
