// SPDX-License-Identifier: Apache-2.0

/// The reason why the content of a TLS connection cannot be read.
package enum TLSObstacle: Hashable, Sendable {
    /// The capture has no keys of the connection, or has them long after the packets that they decrypt.
    case keysMissing
    /// The capture does not have the start of the connection.
    case handshakeMissing
    /// A record is not whole in the capture.
    case recordsCut
    /// An unsupported cipher suite, by its number.
    case cipherSuite(UInt16)
    /// An unsupported version, such as "TLS 1.0"; nil if the version is not known.
    case version(String?)
    /// The sides renegotiated the keys, as versions before TLS 1.3 allow.
    case renegotiation
    /// The keys do not decrypt a record.
    case notOpened
}

extension TLSObstacle {
    /// The reason as a clause for messages.
    var words: String {
        switch self {
        case .keysMissing: "its keys were not logged, or too late"
        case .handshakeMissing: "its handshake was not captured"
        case .recordsCut: "its records are not whole in the capture"
        case .cipherSuite(let number):
            "its cipher suite 0x" + String(number, radix: 16, uppercase: true) + " is not read, only those with AEAD"
        case .version(let version): "\(version ?? "its version") is not read, only TLS 1.2 and 1.3"
        case .renegotiation: "it was renegotiated"
        case .notOpened: "the logged keys do not open it"
        }
    }
}
