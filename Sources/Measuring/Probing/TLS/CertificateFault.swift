// SPDX-License-Identifier: Apache-2.0

import COpenSSL
internal import InternetAddresses

struct CertificateFault: Equatable {
    /// The most serious fault.
    let reason: Reason
    /// A description of all faults.
    let detail: String

    /// Summarizes the faults; nil if there are none.
    ///
    /// Validity comes first, then trust, then the name: an expired certificate is expired whoever signed it, and the
    /// names in a certificate without a trusted root prove nothing. `detail` describes all faults.
    ///
    /// - Parameters:
    ///   - faults: the faults that verification found.
    ///   - certificate: the server's certificate; nil if it cannot be read, so that it is not trusted.
    ///   - name: the host or address that the certificate must be for.
    init?(_ faults: [ChainFault], _ certificate: Certificate?, name: String) {
        guard let certificate else {
            self.init(reason: .tlsUntrusted, detail: "cannot be read")
            return
        }
        let found = faults.map { Self.meaning(of: $0, certificate, name: name) }
        let ordered = Self.order.flatMap { reason in found.filter { $0.reason == reason } }
        guard let gravest = ordered.first else { return nil }
        let words = ordered.reduce(into: [String]()) { if !$0.contains($1.words) { $0.append($1.words) } }
        self.init(reason: gravest.reason, detail: words.joined(separator: "; "))
    }

    private init(reason: Reason, detail: String) {
        (self.reason, self.detail) = (reason, detail)
    }

    private static let order: [Reason] = [.tlsExpired, .tlsNotYetValid, .tlsUntrusted, .tlsNameMismatch]

    private static func meaning(
        of fault: ChainFault,
        _ certificate: Certificate,
        name: String
    ) -> (reason: Reason, words: String) {
        switch fault.code {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return (.tlsExpired, fault.depth == 0 ? "ended" : "an issuer's certificate ended")
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return (.tlsNotYetValid, fault.depth == 0 ? "has not begun" : "an issuer's certificate has not begun")
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            let others = certificate.names + certificate.addresses.map(\.description)
            return (.tlsNameMismatch, "for \(list(others)), not \(name)")
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: return (.tlsUntrusted, "self-signed")
        // These codes all follow from a missing issuer.
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
            return (.tlsUntrusted, certificate.isSelfIssued ? "self-signed" : "issuer not trusted")
        default:
            return (.tlsUntrusted, X509_verify_cert_error_string(Int(fault.code)).map { String(cString: $0) } ?? "")
        }
    }

    /// Limits names and removes control characters: some certificates have hundreds of names, and a name may have any
    /// bytes.
    private static func list(_ names: [String]) -> String {
        guard !names.isEmpty else { return "no host" }
        let shown = names.prefix(4).map {
            String($0.unicodeScalars.filter { $0.value > 0x20 && $0.value < 0x7F }.map(Character.init).prefix(100))
        }
        return shown.joined(separator: ", ") + (names.count > 4 ? " and \(names.count - 4) more" : "")
    }
}
