// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// The reason why a TLS session failed, from OpenSSL's error code.
enum SessionFailure: Equatable {
    /// The server's certificate was not accepted.
    case certificate
    /// The server sent an alert (RFC 8446, section 6).
    case alert(UInt8)
    /// The server requires a TLS version that this client does not support.
    case version
    /// The other end closed the connection.
    case closed
    /// Any other failure: the received data is malformed.
    case malformed(String)

    /// SSL_AD_REASON_OFFSET of ssl.h: an alert's error code is this number plus the alert's number.
    private static let alertOffset: Int32 = 1000

    /// Interprets an error code of ERR_get_error(3).
    init(_ code: UInt) {
        let reason = lc_error_reason(code)
        let isOfTLS = lc_error_library(code) == ERR_LIB_SSL
        switch reason {
        case SSL_R_CERTIFICATE_VERIFY_FAILED where isOfTLS: self = .certificate
        case SSL_R_UNSUPPORTED_PROTOCOL where isOfTLS, SSL_R_WRONG_SSL_VERSION where isOfTLS: self = .version
        case SSL_R_UNEXPECTED_EOF_WHILE_READING where isOfTLS: self = .closed
        case Self.alertOffset...Self.alertOffset + 255 where isOfTLS: self = .alert(UInt8(reason - Self.alertOffset))
        default: self = .malformed(ERR_reason_error_string(code).map { String(cString: $0) } ?? "unknown error")
        }
    }

    /// The reason for the target; a certificate's own fault is more precise.
    var reason: Reason {
        switch self {
        case .certificate: .tlsUntrusted
        case .alert(70), .alert(86), .alert(120), .version: .tlsVersionOrALPN
        case .alert: .tlsAlert
        case .closed: .closedEarly
        case .malformed: .tlsMalformed
        }
    }

    /// A description for the user; nil if the reason says it all.
    var detail: String? {
        switch self {
        case .alert(let number): Self.alerts[number] ?? "alert \(number)"
        case .version: "protocol version"
        case .malformed(let words): words
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
