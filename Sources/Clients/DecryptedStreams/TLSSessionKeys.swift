// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import ClientTraffic

/// The state of a TLS connection's keys; decrypts records with them.
struct TLSSessionKeys {
    enum Outcome {
        /// The keys of the record are not known yet.
        case waits
        /// The record was read: its content, and the content of earlier records that can be read now.
        case opened([OpenedPiece])
    }

    /// The keys of TLS 1.3 that a side uses (RFC 8446, section 2).
    private enum Epoch {
        case early
        case handshake
        case application
    }

    private struct Side {
        var epoch = Epoch.handshake
        /// The cipher of the epoch, once its secret is known.
        var cipher: RecordCipher?
        var secret: [UInt8] = []
        /// Whether a record of the side has been decrypted in TLS 1.3.
        var hasOpened = false
        /// Before TLS 1.3: whether the side's further records are encrypted.
        var hasChangedCipher = false
        var clear = HandshakeMessages()
        var encrypted = HandshakeMessages()
    }

    /// The early data that is kept until the server accepts or rejects it, in bytes.
    private static let maximumEarlyData = 1 << 20
    /// The maximum length of a record with a Finished message: hash, message header, content type and tag.
    private static let longestFinished = 48 + 4 + 1 + 16

    private let keys: KeyLog
    private var client = Side()
    private var server = Side()
    private var random: [UInt8]?
    private var hello: TLSHello.Server?
    private var suite: CipherSuite?
    /// Whether the client has offered early data, the early data that has been decrypted, and whether the server
    /// accepts it.
    private var hasEarlyData = false
    private var earlyData: [StreamPiece] = []
    private var earlyDataLength = 0
    private var acceptsEarlyData: Bool?
    private var hasSkippedEarlyData = false
    /// Whether the client sent records that are longer than a Finished and could not be decrypted.
    private var hasUnopenedContent = false

    /// The reason why a side's further records cannot be read; no entry if they can.
    private(set) var obstacles: [Connection.Side: TLSObstacle] = [:]
    /// The protocol that the handshake negotiated by ALPN (RFC 7301); nil if there is none, or it is not known.
    private(set) var protocolName: [UInt8]?

    init(_ keys: KeyLog) { self.keys = keys }

    /// Whether the client has sent possible content that is not, or not yet, read.
    var hasUnreadClientContent: Bool { hasUnopenedContent || !earlyData.isEmpty }

    private var isTLS13: Bool { hello?.version == "TLS 1.3" }

    /// Notes that a side's further records cannot be read; the first reason is kept.
    mutating func fail(_ obstacle: TLSObstacle, _ side: Connection.Side) {
        obstacles[side] = obstacles[side] ?? obstacle
    }

    private mutating func fail(_ obstacle: TLSObstacle) {
        for side in Connection.Side.both { fail(obstacle, side) }
    }

    /// Whether a record is encrypted.
    func isEncrypted(_ record: TLSRecord, from side: Connection.Side) -> Bool {
        if record.type == TLSRecord.applicationData { return true }
        return hello != nil && !isTLS13 && self[side].hasChangedCipher && record.type != TLSRecord.changeCipherSpec
    }

    /// Reads a record in the clear.
    mutating func readClear(_ record: TLSRecord, from side: Connection.Side) {
        if record.type == TLSRecord.changeCipherSpec {
            if self[side].hasChangedCipher, hello != nil, !isTLS13 { fail(.renegotiation) }
            self[side].hasChangedCipher = true
        }
        guard record.type == TLSRecord.handshake else { return }
        var messages: [[UInt8]] = []
        self[side].clear.read(record.content[...]) { messages.append($1) }
        for message in messages {
            if side == .client, let hello = TLSHello.client(message) {
                random = hello.random
                // A second ClientHello has no early data: the server has rejected the first one's.
                client.epoch = hello.hasEarlyData ? .early : .handshake
                hasEarlyData = hasEarlyData || hello.hasEarlyData
            } else if side == .server, let hello = TLSHello.server(message), !hello.isRetry {
                begin(hello)
            } else if isTLS13 {
                // In TLS 1.3, all handshake messages after the hellos are encrypted.
                fail(.notOpened, side)
            }
        }
    }

    private mutating func begin(_ hello: TLSHello.Server) {
        guard self.hello == nil else { return fail(.renegotiation) }
        self.hello = hello
        protocolName = hello.protocolName
        switch hello.version {
        case "TLS 1.3": suite = CipherSuite(tls13: hello.cipherSuite)
        case "TLS 1.2": suite = hello.isCompressed ? nil : CipherSuite(tls12: hello.cipherSuite)
        default: return fail(.version(hello.version))
        }
        if suite == nil { fail(.cipherSuite(hello.cipherSuite)) }
    }

    /// Decrypts the next encrypted record of a side.
    mutating func open(_ record: TLSRecord, from side: Connection.Side) -> Outcome {
        guard obstacles[side] == nil else { return .opened([]) }
        guard let random else {
            fail(.handshakeMissing)
            return .opened([])
        }
        guard let hello, let suite else { return .waits }
        return isTLS13
            ? openTLS13(record, side, suite, random) : openTLS12(record, side, suite, random, hello.random)
    }

    private mutating func openTLS12(
        _ record: TLSRecord,
        _ side: Connection.Side,
        _ suite: CipherSuite,
        _ random: [UInt8],
        _ serverRandom: [UInt8]
    ) -> Outcome {
        if client.cipher == nil {
            guard let master = keys.secret(.master, of: random) else { return .waits }
            let (key, nonce) = (suite.cipher.keyLength, suite.fixedNonceLength)
            var block = KeySchedule.keyBlock(
                master: master,
                serverRandom: serverRandom,
                clientRandom: random,
                suite.hash,
                length: 2 * (key + nonce)
            )?[...]
            // The client's key and nonce come before the server's (RFC 5246, section 6.3).
            let parts = [key, key, nonce, nonce].map { length in
                defer { block = block?.dropFirst(length) }
                return Array(block?.prefix(length) ?? [])
            }
            client.cipher = RecordCipher(suite, key: parts[0], nonce: parts[2], isTLS13: false)
            server.cipher = RecordCipher(suite, key: parts[1], nonce: parts[3], isTLS13: false)
        }
        guard let plain = self[side].cipher?.open(record) else {
            fail(.notOpened, side)
            return .opened([])
        }
        if record.type == TLSRecord.applicationData { return .opened([piece(plain[...], record, side)]) }
        guard record.type == TLSRecord.handshake else { return .opened([]) }
        var isNewHandshake = false
        self[side].encrypted.read(plain[...]) { kind, _ in
            isNewHandshake = isNewHandshake || kind == HandshakeMessages.Kind.clientHello
        }
        if isNewHandshake { fail(.renegotiation) }
        return .opened([])
    }

    private mutating func openTLS13(
        _ record: TLSRecord,
        _ side: Connection.Side,
        _ suite: CipherSuite,
        _ random: [UInt8]
    ) -> Outcome {
        while true {
            let epoch = self[side].epoch
            if self[side].cipher == nil {
                guard let secret = keys.secret(label(epoch, side), of: random) else {
                    // A log may lack some secrets. Without the handshake secrets, each record is tried as the first
                    // after the handshake.
                    let application = keys.secret(label(.application, side), of: random)
                    switch epoch {
                    case .early where application != nil:
                        hasSkippedEarlyData = true
                        client.epoch = .handshake
                        continue
                    case .handshake:
                        guard let application else { return .waits }
                        return findApplicationData(record, side, suite, application)
                    case .early, .application: return .waits
                    }
                }
                use(secret, side, suite)
            }
            if let plain = self[side].cipher?.open(record) {
                self[side].hasOpened = true
                return .opened(read(plain, record, side, suite))
            }
            switch epoch {
            case .early:
                client.epoch = .handshake
                client.cipher = nil
            case .handshake where side == .client && hasEarlyData && !client.hasOpened:
                // The record is early data that the server rejects.
                hasSkippedEarlyData = true
                return .opened([])
            case .handshake, .application:
                fail(.notOpened, side)
                return .opened([])
            }
        }
    }

    /// Tries to decrypt a record as the first after a handshake that cannot be read.
    private mutating func findApplicationData(
        _ record: TLSRecord,
        _ side: Connection.Side,
        _ suite: CipherSuite,
        _ secret: [UInt8]
    ) -> Outcome {
        // The server's decision on early data was in the handshake.
        if hasEarlyData { fail(.keysMissing, .client) }
        use(secret, side, suite)
        guard let plain = self[side].cipher?.open(record) else {
            self[side].cipher = nil
            if side == .client, record.length > Self.longestFinished { hasUnopenedContent = true }
            return .opened([])
        }
        if side == .client { hasUnopenedContent = false }
        self[side].epoch = .application
        return .opened(read(plain, record, side, suite))
    }

    private mutating func use(_ secret: [UInt8], _ side: Connection.Side, _ suite: CipherSuite) {
        self[side].secret = secret
        self[side].cipher = RecordCipher(secret: secret, suite)
    }

    /// Reads the decrypted text of a TLS 1.3 record: content, then its type, then padding (RFC 8446, section 5.2).
    private mutating func read(
        _ plain: [UInt8],
        _ record: TLSRecord,
        _ side: Connection.Side,
        _ suite: CipherSuite
    ) -> [OpenedPiece] {
        guard let end = plain.lastIndex(where: { $0 != 0 }) else { return [] }
        switch plain[end] {
        case TLSRecord.applicationData:
            guard end > plain.startIndex else { return [] }
            let piece = piece(plain[..<end], record, side)
            guard self[side].epoch == .early, acceptsEarlyData != true else { return [piece] }
            earlyData.append(piece.piece)
            // The overhead of a record counts, too: its content may be one byte.
            earlyDataLength += piece.piece.bytes.count + WaitingRecords.overhead
            if earlyDataLength > Self.maximumEarlyData { fail(.recordsCut, .client) }
            return []
        case TLSRecord.handshake:
            var messages: [(kind: UInt8, message: [UInt8])] = []
            self[side].encrypted.read(plain[..<end]) { messages.append(($0, $1)) }
            return messages.flatMap { read($0.kind, $0.message, side, suite) }
        default: return []
        }
    }

    private mutating func read(
        _ kind: UInt8,
        _ message: [UInt8],
        _ side: Connection.Side,
        _ suite: CipherSuite
    ) -> [OpenedPiece] {
        switch (kind, self[side].epoch) {
        case (HandshakeMessages.Kind.encryptedExtensions, .handshake) where side == .server:
            let extensions = TLSHello.encryptedExtensions(message.dropFirst(HandshakeMessages.headerLength))
            protocolName = extensions.protocolName
            acceptsEarlyData = extensions.acceptsEarlyData
            defer { earlyData = [] }
            guard extensions.acceptsEarlyData else { return [] }
            if hasSkippedEarlyData { fail(.keysMissing, .client) }
            return earlyData.map { OpenedPiece($0, from: .client) }
        case (HandshakeMessages.Kind.endOfEarlyData, .early): (client.epoch, client.cipher) = (.handshake, nil)
        case (HandshakeMessages.Kind.finished, .handshake):
            (self[side].epoch, self[side].cipher) = (.application, nil)
        case (HandshakeMessages.Kind.keyUpdate, .application):
            let next = KeySchedule.expand(self[side].secret, "traffic upd", suite.hash, length: suite.hash.length)
            use(next ?? [], side, suite)
            if next == nil { fail(.notOpened, side) }
        default: break
        }
        return []
    }

    /// A piece with the content of a record. A request counts as sent with the record's first byte; an answer counts as
    /// delivered with the record's last.
    private func piece(_ bytes: ArraySlice<UInt8>, _ record: TLSRecord, _ side: Connection.Side) -> OpenedPiece {
        OpenedPiece(StreamPiece(bytes: bytes, packet: side == .client ? record.first : record.last), from: side)
    }

    private func label(_ epoch: Epoch, _ side: Connection.Side) -> KeyLog.Label {
        switch epoch {
        case .early: .clientEarly
        case .handshake: side == .client ? .clientHandshake : .serverHandshake
        case .application: side == .client ? .client : .server
        }
    }

    private subscript(side: Connection.Side) -> Side {
        get { side == .client ? client : server }
        set { if side == .client { client = newValue } else { server = newValue } }
    }
}
