// SPDX-License-Identifier: Apache-2.0

/// The memory for what a client did. Beyond it, nothing more is kept, and only counts go on.
///
/// All that reads the packets of one run has the same: a client may do anything, and on the machine run others.
package final class ReadingBudget {
    /// The bytes for one run. Runs side by side share them.
    package static let ofRun = 256 << 20

    /// The bytes that something takes that is kept, with what judging takes for it: as measured, and some more.
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

    /// At most this many attempts without memory are distinguished from repetitions.
    private static let openings = 1 << 16

    /// Memory that only connections may use: they are counted, and read, when there is no memory for more.
    private let connectionsOnly: Int
    private var left: Int
    /// Whether no more is kept of connections, and whether there is none for another one.
    private(set) var isExhausted = false
    private var isFull = false
    private(set) var unkept = UnkeptTraffic()
    /// The latest attempts without room, by their hashes.
    private var latestOpenings: [UInt64] = []

    package init(_ bytes: Int = ofRun) { (left, connectionsOnly) = (bytes, bytes / 4) }

    private init(_ other: ReadingBudget) {
        (left, connectionsOnly, unkept) = (other.left, other.connectionsOnly, other.unkept)
        (isExhausted, isFull, latestOpenings) = (other.isExhausted, other.isFull, other.latestOpenings)
    }

    /// Memory taken from a copy is not taken from the original.
    func copy() -> ReadingBudget { ReadingBudget(self) }

    /// Takes memory for another connection. Once there is none, there is never any.
    func reserveConnection() -> Bool {
        isFull = isFull || Size.connection > left
        if !isFull { left -= Size.connection }
        precondition(left >= 0, "more memory is taken than there is")
        return !isFull
    }

    /// Takes memory for anything else. Once there is too little for something, there is none for anything.
    func reserve(_ bytes: Int) -> Bool {
        isExhausted = isExhausted || bytes > left - connectionsOnly
        precondition(bytes >= 0, "memory is given back")
        if !isExhausted { left -= bytes }
        return !isExhausted
    }

    /// Takes memory for a packet, or counts it.
    func reservePacket() -> Bool {
        let isKept = reserve(Size.packet)
        if !isKept { unkept.packets += 1 }
        return isKept
    }

    /// Takes memory for a request, or counts it.
    func reserve(_ request: ObservedRequest) -> Bool {
        let isKept = reserve(Size.request + 2 * request.textLength)
        if !isKept { unkept.requests += 1 }
        return isKept
    }

    /// Takes memory for a query, or counts it.
    func reserveQuery() -> Bool {
        let isKept = reserve(Size.query)
        if !isKept { unkept.nameQueries += 1 }
        return isKept
    }

    /// Counts a packet of which nothing is kept.
    func count(bytes: Int) { unkept.bytes += bytes }

    /// Counts an attempt to connect, unless it is one of the latest, sent again.
    func countOpening(_ hash: Int) {
        if latestOpenings.isEmpty { latestOpenings = Array(repeating: 0, count: Self.openings) }
        let hash = UInt64(UInt(bitPattern: hash))
        let index = Int(hash % UInt64(Self.openings))
        guard latestOpenings[index] != hash else { return }
        latestOpenings[index] = hash
        unkept.connections += 1
    }

    /// Counts a retransmission of which nothing is kept.
    func countRetransmission() { unkept.retransmissions += 1 }
}

extension ObservedRequest {
    /// The bytes of its texts.
    fileprivate var textLength: Int {
        [method, target, host, idempotencyKey, contentType, range].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
}
