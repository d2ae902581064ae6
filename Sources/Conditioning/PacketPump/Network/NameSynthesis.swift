// SPDX-License-Identifier: Apache-2.0

/// A DNS64 (RFC 6147) in the path of DNS over UDP: it turns AAAA queries into A queries, and the IPv4 addresses in
/// their responses into the IPv6 addresses by which a host without IPv4 reaches them.
///
/// It never queries a name's real AAAA records: not every uplink carries IPv6 to those addresses.
struct NameSynthesis {
    static let port: UInt16 = 53
    static let maximumQuestions = 4_096
    private static let types: (a: UInt16, aaaa: UInt16) = (1, 28)
    private static let maximumAddresses = 40

    /// Whether a query was for AAAA records, by the client's port and the message ID.
    private var questions = RecentTable<UInt32, Bool>(limit: maximumQuestions)

    /// Turns a query for AAAA records into one for A records, and remembers which type each query asked for.
    ///
    /// - Parameter transport: the UDP header of the query.
    mutating func ask(
        _ message: UnsafeMutableRawPointer,
        count: Int,
        _ client: UInt16,
        _ transport: TranslatedTransport
    ) {
        guard let type = Self.type(of: message, count, isAnswer: false) else { return }
        let isForIPv6 = UnsafeRawPointer(message + type).word(0) == Self.types.aaaa
        questions.use(Self.key(message, client), isForIPv6)
        if isForIPv6 { transport.replaceWord(message + type, by: Self.types.a) }
    }

    /// Replaces the server's response to such a query by one with AAAA records; returns its length, or nil.
    ///
    /// - Parameter room: the largest length of the new response, in bytes.
    mutating func answer(_ message: UnsafeMutableRawPointer, count: Int, room: Int, _ client: UInt16) -> Int? {
        guard let type = Self.type(of: message, count, isAnswer: true), questions[Self.key(message, client)] == true
        else { return nil }
        let addresses = Self.addresses(message, from: type + 4, count).prefix(Self.maximumAddresses)
        guard type + 4 + addresses.count * 28 <= room else { return nil }
        message.setWord(type, Self.types.aaaa)
        message.setWord(6, UInt16(addresses.count))
        message.setLong(8, 0)
        var position = message + type + 4
        for (lifetime, address) in addresses {
            // A pointer to the question's name, which follows the message header (RFC 1035, section 4.1.4).
            position.setWord(0, 0xC00C)
            position.setWord(2, Self.types.aaaa)
            position.setWord(4, 1)
            position.setLong(6, lifetime)
            position.setWord(10, 16)
            position.setLong(12, FamilyTranslation.prefix.0)
            position.setLong(16, FamilyTranslation.prefix.1)
            position.setLong(20, FamilyTranslation.prefix.2)
            position.setLong(24, address)
            position += 28
        }
        return position - message
    }

    private static func key(_ message: UnsafeRawPointer, _ client: UInt16) -> UInt32 {
        UInt32(client) << 16 | UInt32(message.word(0))
    }

    /// The offset of the type in the message's only question, of class IN; nil for any other message.
    private static func type(of message: UnsafeRawPointer, _ count: Int, isAnswer: Bool) -> Int? {
        guard count >= 17, (message.word(2) & 0x8000 != 0) == isAnswer, message.word(4) == 1,
            let end = endOfName(message, from: 12, count), end + 4 <= count, message.word(end + 2) == 1
        else { return nil }
        return end
    }

    /// The TTL in seconds and the address of each A record in a response.
    private static func addresses(_ message: UnsafeRawPointer, from start: Int, _ count: Int) -> [(UInt32, UInt32)] {
        var found: [(UInt32, UInt32)] = []
        var offset = start
        for _ in 0..<message.word(6) {
            guard let end = endOfName(message, from: offset, count), end + 10 <= count else { break }
            let length = Int(message.word(end + 8))
            guard end + 10 + length <= count else { break }
            if message.word(end) == types.a, message.word(end + 2) == 1, length == 4 {
                found.append((message.long(end + 4), message.long(end + 10)))
            }
            offset = end + 10 + length
        }
        return found
    }

    private static func endOfName(_ message: UnsafeRawPointer, from start: Int, _ count: Int) -> Int? {
        var offset = start
        while offset < count {
            let length = Int(message.byte(offset))
            // A pointer ends a name.
            if length & 0xC0 == 0xC0 { return offset + 2 <= count ? offset + 2 : nil }
            guard length & 0xC0 == 0 else { return nil }
            offset += 1 + length
            if length == 0 { return offset }
        }
        return nil
    }
}
