// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import DequeModule

/// Decrypts the records of a TLS 1.2 or 1.3 connection as they are read. Records whose keys are not known yet wait, in
/// a bounded room.
final class TLSConnectionDecoder: TLSDecoder {
    private struct Waiting {
        let record: TLSRecord
        let side: Connection.Side

        var size: Int { record.content.count + WaitingRecords.overhead }
        var mayBeClientContent: Bool {
            side == .client && record.type == TLSRecord.applicationData && record.length > TLSRecord.longestAlert
        }
    }

    private let room: WaitingRecords
    private var records = (client: TLSRecords(keepsContent: true), server: TLSRecords(keepsContent: true))
    private var handshake: TLSSessionKeys
    private var waiting: Deque<Waiting> = []
    private var waitingBytes = 0
    /// Whether content of the client has been decrypted.
    private var hasContent = false

    init(_ keys: KeyLog, _ room: WaitingRecords) {
        self.room = room
        handshake = TLSSessionKeys(keys)
    }

    deinit { room.remove(waitingBytes) }

    var isHTTP2: Bool? { handshake.protocolName.map { $0.elementsEqual("h2".utf8) } }

    func obstacle(of side: Connection.Side) -> TLSObstacle? { handshake.obstacles[side] }

    var isWaiting: Bool { !waiting.isEmpty || handshake.hasUnreadClientContent }

    var endsInClientRecord: Bool { records.client.isInRecord }

    var hasClientContent: Bool {
        // The kind of content is unknown if it cannot be read.
        hasContent || obstacle(of: .client) != nil || endsInClientRecord
            || handshake.hasUnreadClientContent || waiting.contains(where: \.mayBeClientContent)
    }

    func read(_ piece: StreamPiece, from side: Connection.Side) -> [OpenedPiece] {
        guard handshake.obstacles[side] == nil else { return [] }
        let wasWaiting = !waiting.isEmpty
        let complete = side == .client ? records.client.read(piece) : records.server.read(piece)
        var opened: [OpenedPiece] = []
        for record in complete {
            guard handshake.isEncrypted(record, from: side) else {
                handshake.readClear(record, from: side)
                continue
            }
            wait(Waiting(record: record, side: side))
            opened += readWaiting()
        }
        if side == .client ? records.client.hasEnded : records.server.hasEnded {
            handshake.fail(.recordsCut, side)
        }
        guard !waiting.isEmpty else { return opened }
        if !wasWaiting { room.begin(self) }
        if waitingBytes > WaitingRecords.ofConnection { giveUpWaiting() }
        return opened
    }

    func readWaiting() -> [OpenedPiece] {
        var opened: [OpenedPiece] = []
        while let next = waiting.first {
            switch handshake.open(next.record, from: next.side) {
            case .waits: return opened
            case .opened(let pieces):
                opened += pieces
                if pieces.contains(where: { $0.side == .client }) { hasContent = true }
            }
            removeFirst()
        }
        return opened
    }

    /// Drops the waiting records, whose keys come too late: neither side can be read further.
    func giveUpWaiting() {
        guard !waiting.isEmpty else { return }
        for side in Connection.Side.both { handshake.fail(.keysMissing, side) }
        while !waiting.isEmpty { removeFirst() }
    }

    private func wait(_ one: Waiting) {
        waiting.append(one)
        waitingBytes += one.size
        room.add(one.size)
    }

    private func removeFirst() {
        guard let first = waiting.popFirst() else { return }
        waitingBytes -= first.size
        room.remove(first.size)
    }
}
