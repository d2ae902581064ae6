// SPDX-License-Identifier: Apache-2.0

import NIOSSL

/// Why a TLS session failed, as far as the error of BoringSSL tells.
enum SessionFailure: Equatable {
    /// The chain of the server's certificate does not hold.
    case certificate
    /// The server sent an alert (RFC 8446, section 6).
    case alert(UInt8)
    /// The server wants a version that we do not speak.
    case version
    /// The other end closed.
    case closed
    /// Anything else: what was received is not sound.
    case malformed(String)

    /// Reads an error of NIOSSL; nil for one that does not concern the session, such as an end without close_notify.
    init?(_ error: any Error) {
        switch error {
        case NIOSSLError.handshakeFailed(let inner): self.init(inner)
        case let inner as BoringSSLError: self.init(inner)
        default: return nil
        }
    }

    private init(_ error: BoringSSLError) {
        switch error {
        case .sslError(let stack), .unknownError(let stack):
            if stack.contains(.eofDuringHandshake) { self = .closed } else { self.init(stack.first?.description ?? "") }
        default: self.init("")
        }
    }

    /// Reads "… error:1000007d:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED at …", the only form in which
    /// NIOSSL gives the code away: library << 24 | reason (openssl/err.h).
    init(_ text: String) {
        let parts = text.split(separator: ":").drop { !$0.hasSuffix("error") }.dropFirst()
        let code = parts.first.flatMap { UInt32($0, radix: 16) } ?? 0
        let word = parts.dropFirst(3).first.map { String($0.prefix { $0 != " " }) } ?? "unknown error"
        let isOfTLS = code >> 24 == 16
        switch code & 0xFFF {
        case 125 where isOfTLS: self = .certificate
        case 240 where isOfTLS: self = .version
        // SSL_AD_REASON_OFFSET
        case let reason where isOfTLS && (1000...1255).contains(reason): self = .alert(UInt8(reason - 1000))
        default: self = .malformed(word)
        }
    }

    /// What that says about the target, without the certificate's own faults.
    var reason: Reason {
        switch self {
        case .certificate: .tlsUntrusted
        case .alert(70), .alert(86), .alert(120), .version: .tlsVersionOrALPN
        case .alert: .tlsAlert
        case .closed: .closedEarly
        case .malformed: .tlsMalformed
        }
    }

    /// Words for people.
    var detail: String? {
        switch self {
        case .alert(let number): Self.alerts[number] ?? "alert \(number)"
        case .version: "protocol version"
        case .malformed(let word): word.lowercased()
        case .certificate, .closed: nil
        }
    }

    private static let alerts: [UInt8: String] = [
        0: "close_notify", 10: "unexpected_message", 20: "bad_record_mac", 21: "decryption_failed",
        22: "record_overflow", 40: "handshake_failure", 42: "bad_certificate", 43: "unsupported_certificate",
        44: "certificate_revoked", 45: "certificate_expired", 46: "certificate_unknown", 47: "illegal_parameter",
        48: "unknown_ca", 49: "access_denied", 50: "decode_error", 51: "decrypt_error", 70: "protocol_version",
        71: "insufficient_security", 80: "internal_error", 86: "inappropriate_fallback", 90: "user_canceled",
        100: "no_renegotiation", 109: "missing_extension", 110: "unsupported_extension", 112: "unrecognized_name",
        113: "bad_certificate_status_response", 115: "unknown_psk_identity", 116: "certificate_required",
        120: "no_application_protocol",
    ]
}
