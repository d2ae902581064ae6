// SPDX-License-Identifier: Apache-2.0

/// Reads a TLS connection: the handshake in the clear, and the content if its keys were logged.
///
/// A class, since `describe` decrypts the records that waited for keys, which must happen only once.
final class TLSConversation: StreamReader {
    private var handshake = TLSHandshake()
    private let decoder: any TLSDecoder
    private let decoders: any StreamDecoders
    private let budget: ReadingBudget
    private var content: HTTPConversation
    private var lost: Set<Connection.Side> = []
    private var latest: ObservedPacket?

    init(_ decoders: any StreamDecoders, _ budget: ReadingBudget = ReadingBudget()) {
        (self.decoders, self.budget) = (decoders, budget)
        decoder = decoders.makeTLSDecoder()
        content = HTTPConversation(decoders, budget)
    }

    var needsAllBytes: Bool { true }

    var isFinished: Bool {
        // Reading goes on if only one side can be read: the server's answer shows whether a request that is repeated
        // later was answered.
        handshake.isFinished
            && (content.isFinished && content.hasBegun
                || Connection.Side.both.allSatisfy { decoder.obstacle(of: $0) != nil })
    }

    func read(_ piece: StreamPiece, from side: Connection.Side) {
        if !handshake.isFinished { handshake.read(piece, from: side) }
        latest = piece.packet
        read(decoder.read(piece, from: side))
    }

    func describe(_ connection: inout Connection) {
        read(decoder.readWaiting())
        handshake.describe(&connection)
        content.describe(&connection)
        var obstacle = decoder.obstacle(of: .client)
        if obstacle == nil, decoder.isWaiting { obstacle = .keysMissing }
        if obstacle == nil, decoder.endsInClientRecord { obstacle = .recordsCut }
        connection.tls = .init(hasClientContent: decoder.hasClientContent, obstacle: obstacle)
        guard decoder.isWaiting else { return }
        for index in connection.requests.indices where connection.requests[index].completed == nil {
            connection.requests[index].mayBeAnswered = true
        }
    }

    private func read(_ opened: [OpenedPiece]) {
        if !opened.isEmpty, !content.hasBegun, decoder.isHTTP2 == true {
            content = HTTPConversation(http2: decoders, budget)
        }
        for one in opened { content.read(one.piece, from: one.side) }
        guard content.hasBegun, let latest else { return }
        for side in Connection.Side.both where decoder.obstacle(of: side) != nil && lost.insert(side).inserted {
            content.read(StreamPiece(bytes: [], missing: Self.everything, packet: latest), from: side)
        }
    }

    /// More bytes than a message has.
    private static let everything = Int.longestBody + 1
}
