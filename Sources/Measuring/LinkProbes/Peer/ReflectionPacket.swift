// SPDX-License-Identifier: Apache-2.0

/// A datagram between a reflector and its client: a header of 64 bytes with numbers in network order, then a body.
///
/// | bytes | |
/// |---|---|
/// | 0 to 3 | "lcr1" |
/// | 4 | the kind |
/// | 5 | the phase |
/// | 6, 7 | the length of the whole datagram |
/// | 8 to 47 | session, number, two times and a value |
/// | 48 to 63 | the tag of all other bytes |
struct ReflectionPacket: Equatable {
    enum Kind: UInt8 {
        /// Requests a session; the reply, a challenge, has a number that `open` must repeat.
        case hello = 1, challenge
        /// Opens the session with the number of the challenge; the reply has the reflector's limits.
        case open, opened
        /// Begins a phase, whose packets the body describes (`PhaseRequest`).
        case begin, begun
        /// Requests a time stamp; the reply says when the request arrived and when the reply was sent.
        case ask, answer
        /// A measured packet: `up` to the reflector, `down` from it.
        case up, down
        /// Padding that earns credit: the reflector may later send the same number of bytes.
        case fill
        /// Requests a part of the reflector's log.
        case fetch, entries
        case close
    }

    var kind: Kind
    var phase: UInt8 = 0
    var session: UInt64
    var number: UInt64 = 0
    /// Nanoseconds by the sender's clock; some kinds carry other numbers here.
    var times: (Int64, Int64) = (0, 0)
    var value: Int64 = 0
    var body: [UInt8] = []

    static let headerLength = 64
    /// The largest UDP payload of an IPv4 packet of 1,500 bytes.
    static let maximumLength = 1_472
    private static let tagStart = 48
    private static let magic = Array("lcr1".utf8)

    /// Encodes and signs the datagram, padded with zeros to at least `length` bytes.
    func encoded(_ key: ReflectionKey, length: Int = 0) -> [UInt8] {
        let whole = max(length, Self.headerLength + body.count)
        var bytes = [UInt8]()
        bytes.reserveCapacity(whole)
        bytes += Self.magic + [kind.rawValue, phase]
        func add(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number.bigEndian) { bytes += $0 } }
        add(UInt16(whole))
        add(session)
        add(number)
        add(times.0)
        add(times.1)
        add(value)
        bytes += [UInt8](repeating: 0, count: ReflectionKey.tagLength)
        bytes += body
        bytes += [UInt8](repeating: 0, count: whole - bytes.count)
        bytes.replaceSubrange(Self.tagStart..<Self.headerLength, with: key.tag(bytes))
        return bytes
    }

    /// Decodes a packet; nil if `bytes` is malformed, or was not signed with `key`.
    init?(_ bytes: [UInt8], _ key: ReflectionKey) {
        guard let kind = Self.kind(bytes) else { return nil }
        var untagged = bytes
        untagged.replaceSubrange(
            Self.tagStart..<Self.headerLength,
            with: repeatElement(0, count: ReflectionKey.tagLength)
        )
        guard key.isRight(bytes[Self.tagStart..<Self.headerLength], of: untagged) else { return nil }
        func number<Number: FixedWidthInteger>(_ offset: Int) -> Number {
            bytes.withUnsafeBytes { Number(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
        }
        self.kind = kind
        phase = bytes[5]
        (session, self.number) = (number(8), number(16))
        times = (number(24), number(32))
        value = number(40)
        body = Array(bytes[Self.headerLength...])
    }

    init(_ kind: Kind, session: UInt64, number: UInt64 = 0) {
        (self.kind, self.session, self.number) = (kind, session, number)
    }

    /// The kind of a datagram whose tag is not yet checked; nil if its header is malformed.
    static func kind(_ bytes: [UInt8]) -> Kind? {
        guard bytes.count >= headerLength, bytes.count <= maximumLength, bytes.prefix(4).elementsEqual(magic),
            Int(bytes[6]) << 8 | Int(bytes[7]) == bytes.count
        else { return nil }
        return Kind(rawValue: bytes[4])
    }

    static func == (left: ReflectionPacket, right: ReflectionPacket) -> Bool {
        left.kind == right.kind && left.phase == right.phase && left.session == right.session
            && left.number == right.number && left.times == right.times && left.value == right.value
            && left.body == right.body
    }
}
