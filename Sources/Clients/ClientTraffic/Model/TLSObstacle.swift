// SPDX-License-Identifier: Apache-2.0

/// The reason why what was said in TLS cannot be read.
package enum TLSObstacle: Hashable, Sendable {
    /// The capture has no keys of the connection, or they came long after the packets that they open.
    case keysMissing
    /// The capture does not have its start.
    case handshakeMissing
    /// A record is not whole in the capture.
    case recordsCut
    /// A cipher suite that is not read, by its number.
    case cipherSuite(UInt16)
    /// A version that is not read, such as "TLS 1.0"; nil if it is not known.
    case version(String?)
    /// The sides agreed on new keys in an older version's way.
    case renegotiation
    /// The keys do not open a record.
    case notOpened
}

extension TLSObstacle {
    /// The reason, for people.
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
