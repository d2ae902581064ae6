// SPDX-License-Identifier: Apache-2.0

/// Finds the handshake messages in one side's records (RFC 8446, section 4).
struct HandshakeMessages {
    enum Kind {
        static let clientHello: UInt8 = 1
        static let serverHello: UInt8 = 2
        static let endOfEarlyData: UInt8 = 5
        static let encryptedExtensions: UInt8 = 8
        static let finished: UInt8 = 20
        static let keyUpdate: UInt8 = 24
    }

    /// The maximum length of a message that is kept; of a longer one, only the start is.
    private static let longest = 64 << 10
    static let headerLength = 4

    private var header: [UInt8] = []
    private var body: [UInt8] = []
    private var left = 0

    /// Reads the content of a record; calls `found` with each message that ends in it: the message's kind, and its
    /// header, with the body for the kinds that are kept.
    mutating func read(_ content: ArraySlice<UInt8>, _ found: (_ kind: UInt8, _ message: [UInt8]) -> Void) {
        var bytes = content
        while !bytes.isEmpty {
            if header.count < Self.headerLength {
                header.append(bytes.removeFirst())
                guard header.count == Self.headerLength else { continue }
                left = Int(header[1]) << 16 | Int(header[2]) << 8 | Int(header[3])
            } else {
                let part = bytes.prefix(left)
                if keepsBody, body.count + part.count <= Self.longest { body += part }
                bytes = bytes.dropFirst(part.count)
                left -= part.count
            }
            guard left == 0 else { continue }
            found(header[0], header + body)
            (header, body) = ([], [])
        }
    }

    private var keepsBody: Bool {
        [Kind.clientHello, Kind.serverHello, Kind.encryptedExtensions].contains(header[0])
    }
}
