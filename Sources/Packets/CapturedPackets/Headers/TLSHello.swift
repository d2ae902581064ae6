// SPDX-License-Identifier: Apache-2.0

/// The hello messages of TLS, in the clear (RFC 8446, section 4.1).
package enum TLSHello {
    private static let clientType: UInt8 = 1
    private static let serverType: UInt8 = 2
    private static let serverNames: UInt16 = 0
    private static let supportedVersions: UInt16 = 43
    private static let versions: [UInt16: String] = [
        0x0300: "SSL 3.0", 0x0301: "TLS 1.0", 0x0302: "TLS 1.1", 0x0303: "TLS 1.2", 0x0304: "TLS 1.3",
    ]

    private static let protocols: UInt16 = 16
    private static let earlyData: UInt16 = 42
    /// The random of a HelloRetryRequest: a ServerHello that asks for another ClientHello (RFC 8446, section 4.1.3).
    private static let retry: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91, 0xC2, 0xA2,
        0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
    ]

    /// The fields of a ServerHello from which the keys of a connection are derived.
    package struct Server {
        package var random: [UInt8]
        package var cipherSuite: UInt16
        /// The version, such as "TLS 1.3"; nil if its number is unknown.
        package var version: String?
        /// Whether the message is a HelloRetryRequest, which asks for another ClientHello.
        package var isRetry: Bool
        package var isCompressed: Bool
        /// The application protocol (ALPN) that a server before TLS 1.3 chooses here; nil without the extension.
        package var protocolName: [UInt8]?
    }

    /// The random of a ClientHello, and whether early data follows it; nil if `handshake` is not a whole ClientHello.
    package static func client(_ handshake: [UInt8]) -> (random: [UInt8], hasEarlyData: Bool)? {
        guard let message = message(handshake), message.type == clientType else { return nil }
        var reader = ByteCursor(message.body)
        guard reader.bytes(2) != nil, let random = reader.bytes(32) else { return nil }
        guard reader.field(lengthBytes: 1) != nil, reader.field(lengthBytes: 2) != nil,
            reader.field(lengthBytes: 1) != nil
        else { return (Array(random), false) }
        return (Array(random), find(earlyData, in: &reader) != nil)
    }

    /// Reads a ServerHello; nil if `handshake` is not a whole ServerHello.
    package static func server(_ handshake: [UInt8]) -> Server? {
        guard let message = message(handshake), message.type == serverType else { return nil }
        var reader = ByteCursor(message.body)
        guard reader.bytes(2) != nil, let random = reader.bytes(32), reader.field(lengthBytes: 1) != nil,
            let suite = reader.word(), let compression = reader.byte()
        else { return nil }
        return Server(
            random: Array(random),
            cipherSuite: suite,
            version: version(handshake),
            isRetry: random.elementsEqual(retry),
            isCompressed: compression != 0,
            protocolName: find(protocols, in: &reader).flatMap(protocolName)
        )
    }

    /// Reads the body of EncryptedExtensions: the application protocol, and whether early data is accepted.
    package static func encryptedExtensions(_ body: ArraySlice<UInt8>) -> (
        protocolName: [UInt8]?, acceptsEarlyData: Bool
    ) {
        var (one, other) = (ByteCursor(body), ByteCursor(body))
        return (find(protocols, in: &one).flatMap(protocolName), find(earlyData, in: &other) != nil)
    }

    /// The first name in an ALPN extension; a server's list has one name (RFC 7301, section 3.1).
    private static func protocolName(_ content: ArraySlice<UInt8>) -> [UInt8]? {
        var reader = ByteCursor(content)
        guard let list = reader.field(lengthBytes: 2) else { return nil }
        var entry = ByteCursor(list)
        return entry.field(lengthBytes: 1).map(Array.init)
    }

    /// Whether the bytes hold a whole message.
    package static func isWhole(_ handshake: [UInt8]) -> Bool { message(handshake) != nil }

    /// The server name (SNI) in a ClientHello; nil if it has none or is malformed.
    package static func serverName(_ handshake: [UInt8]) -> String? {
        guard let message = message(handshake), message.type == clientType else { return nil }
        var reader = ByteCursor(message.body)
        guard reader.bytes(34) != nil, reader.field(lengthBytes: 1) != nil, reader.field(lengthBytes: 2) != nil,
            reader.field(lengthBytes: 1) != nil, let list = find(serverNames, in: &reader)
        else { return nil }
        var names = ByteCursor(list)
        guard let entries = names.field(lengthBytes: 2) else { return nil }
        var entry = ByteCursor(entries)
        // RFC 6066, section 3: a host name has type 0, and there is no other.
        guard entry.byte() == 0, let name = entry.field(lengthBytes: 2), 1...255 ~= name.count,
            name.allSatisfy({ 0x21...0x7E ~= $0 })
        else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    /// The version that a ServerHello chooses, such as "TLS 1.3"; nil if `handshake` is not a valid ServerHello.
    package static func version(_ handshake: [UInt8]) -> String? {
        guard let message = message(handshake), message.type == serverType else { return nil }
        var reader = ByteCursor(message.body)
        guard let old = reader.word(), reader.bytes(32) != nil, reader.field(lengthBytes: 1) != nil,
            reader.bytes(3) != nil
        else { return nil }
        var chosen = find(supportedVersions, in: &reader).map { ByteCursor($0) }
        return versions[chosen?.word() ?? old]
    }

    private static func message(_ handshake: [UInt8]) -> (type: UInt8, body: ArraySlice<UInt8>)? {
        var reader = ByteCursor(handshake[...])
        guard let type = reader.byte(), let high = reader.byte(), let low = reader.word(),
            let body = reader.bytes(Int(high) << 16 | Int(low))
        else { return nil }
        return (type, body)
    }

    /// Reads the list of extensions; returns the content of the extension with type `wanted`, or nil without it.
    private static func find(_ wanted: UInt16, in reader: inout ByteCursor) -> ArraySlice<UInt8>? {
        guard let all = reader.field(lengthBytes: 2) else { return nil }
        var extensions = ByteCursor(all)
        while let type = extensions.word(), let content = extensions.field(lengthBytes: 2) {
            if type == wanted { return content }
        }
        return nil
    }
}
