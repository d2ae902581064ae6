// SPDX-License-Identifier: Apache-2.0

import COpenSSL
internal import InternetAddresses

/// What is wrong with the certificate of a server.
struct CertificateFault: Equatable {
    /// The gravest of what is wrong.
    let reason: Reason
    /// All of it, in words.
    let detail: String

    /// Finds what is wrong; nil where nothing is.
    ///
    /// Validity comes first, then trust, then the name: an expired certificate is expired whatever CA signed it, and one
    /// that no trusted root signed proves nothing by its names. The others are in the words.
    ///
    /// - Parameters:
    ///   - faults: what verification objects to.
    ///   - certificate: the server's own; nil where it cannot be read, which is never trusted.
    ///   - name: the host or address that it must be for.
    init?(_ faults: [ChainFault], _ certificate: Certificate?, name: String) {
        guard let certificate else {
            self.init(reason: .tlsUntrusted, detail: "cannot be read")
            return
        }
        guard !faults.isEmpty else { return nil }
        var found: [(reason: Reason, words: String)] = []
        func add(_ reason: Reason, _ words: String) {
            if !found.contains(where: { $0.words == words }) { found.append((reason, words)) }
        }
        for fault in faults where fault.code == X509_V_ERR_CERT_HAS_EXPIRED {
            add(.tlsExpired, fault.depth == 0 ? "ended" : "an issuer's certificate ended")
        }
        for fault in faults where fault.code == X509_V_ERR_CERT_NOT_YET_VALID {
            add(.tlsNotYetValid, fault.depth == 0 ? "has not begun" : "an issuer's certificate has not begun")
        }
        for fault in faults where !Self.others.contains(fault.code) {
            switch fault.code {
            case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: add(.tlsUntrusted, "self-signed")
            // These follow from the lack of an issuer.
            case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED,
                X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
                add(.tlsUntrusted, certificate.isSelfIssued ? "self-signed" : "issuer not trusted")
            default:
                add(.tlsUntrusted, X509_verify_cert_error_string(Int(fault.code)).map { String(cString: $0) } ?? "")
            }
        }
        if faults.contains(where: { Self.nameMismatches.contains($0.code) }) {
            let others = certificate.names + certificate.addresses.map(\.description)
            add(.tlsNameMismatch, "for \(Self.list(others)), not \(name)")
        }
        guard let first = found.first else { return nil }
        self.init(reason: first.reason, detail: found.map(\.words).joined(separator: "; "))
    }

    private init(reason: Reason, detail: String) {
        self.reason = reason
        self.detail = detail
    }

    private static let nameMismatches: Set<Int32> = [X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH]
    private static let others = nameMismatches.union([X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID])

    /// Some certificates have hundreds of names, and a server may put any bytes there.
    private static func list(_ names: [String]) -> String {
        guard !names.isEmpty else { return "no host" }
        let shown = names.prefix(4).map {
            String($0.unicodeScalars.filter { $0.value > 0x20 && $0.value < 0x7F }.map(Character.init).prefix(100))
        }
        return shown.joined(separator: ", ") + (names.count > 4 ? " and \(names.count - 4) more" : "")
    }
}
