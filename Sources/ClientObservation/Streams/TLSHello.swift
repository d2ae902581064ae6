// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// What the hello messages of TLS say in the clear (RFC 8446, section 4.1).
enum TLSHello {
    private static let clientType: UInt8 = 1
    private static let serverType: UInt8 = 2
    private static let serverNames: UInt16 = 0
    private static let supportedVersions: UInt16 = 43
    private static let versions: [UInt16: String] = [
        0x0300: "SSL 3.0", 0x0301: "TLS 1.0", 0x0302: "TLS 1.1", 0x0303: "TLS 1.2", 0x0304: "TLS 1.3",
    ]

    /// Whether the bytes hold a whole message.
    static func isWhole(_ handshake: [UInt8]) -> Bool { message(handshake) != nil }

    /// The name that a ClientHello asks for; nil if it has none or is malformed.
    static func serverName(_ handshake: [UInt8]) -> String? {
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

    /// The version that a ServerHello chooses, such as "TLS 1.3"; nil if it is none or is malformed.
    static func version(_ handshake: [UInt8]) -> String? {
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

    /// The content of an extension.
    private static func find(_ wanted: UInt16, in reader: inout ByteCursor) -> ArraySlice<UInt8>? {
        guard let all = reader.field(lengthBytes: 2) else { return nil }
        var extensions = ByteCursor(all)
        while let type = extensions.word(), let content = extensions.field(lengthBytes: 2) {
            if type == wanted { return content }
        }
        return nil
    }
}
