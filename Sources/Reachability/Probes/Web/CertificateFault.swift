// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// What is wrong with the certificate of a server.
struct CertificateFault: Equatable {
    /// The gravest of what is wrong.
    let reason: Reason
    /// All of it, in words.
    let detail: String

    /// Finds what is wrong; nil where nothing is.
    ///
    /// First comes time, then trust, then name: time is wrong whoever signed, and what nobody vouches for says nothing
    /// of names. The others are in the words.
    ///
    /// - Parameters:
    ///   - certificate: the server's own; nil where it cannot be read.
    ///   - isTrusted: whether a chain leads from it to a root.
    ///   - name: the host or address that it must be for.
    ///   - now: seconds since 1970.
    init?(_ certificate: Certificate?, isTrusted: Bool, name: String, now: Int64) {
        var faults: [(reason: Reason, words: String)] = []
        guard let certificate else {
            guard !isTrusted else { return nil }
            self.init(reason: .tlsUntrusted, detail: "cannot be read")
            return
        }
        if now > certificate.notAfter { faults.append((.tlsExpired, "ended")) }
        if now < certificate.notBefore { faults.append((.tlsNotYetValid, "has not begun")) }
        // An expired one is not trusted for that alone.
        if !isTrusted, faults.isEmpty || certificate.isSelfIssued {
            faults.append((.tlsUntrusted, certificate.isSelfIssued ? "self-signed" : "issuer not trusted"))
        }
        if !certificate.isFor(name) {
            let others = certificate.names + certificate.addresses.map(\.description)
            faults.append((.tlsNameMismatch, "for \(Self.list(others)), not \(name)"))
        }
        guard let first = faults.first else { return nil }
        self.init(reason: first.reason, detail: faults.map(\.words).joined(separator: "; "))
    }

    /// Finds whether the time of an issuer's certificate is over, or has not come; nil where it is now.
    init?(issuer: Certificate, now: Int64) {
        if now > issuer.notAfter {
            self.init(reason: .tlsExpired, detail: "an issuer's certificate ended")
        } else if now < issuer.notBefore {
            self.init(reason: .tlsNotYetValid, detail: "an issuer's certificate has not begun")
        } else {
            return nil
        }
    }

    private init(reason: Reason, detail: String) {
        self.reason = reason
        self.detail = detail
    }

    /// Some certificates have hundreds of names, and who presents them may put anything there.
    private static func list(_ names: [String]) -> String {
        guard !names.isEmpty else { return "nobody" }
        let shown = names.prefix(4).map {
            String($0.unicodeScalars.filter { $0.value > 0x20 && $0.value < 0x7F }.map(Character.init).prefix(100))
        }
        return shown.joined(separator: ", ") + (names.count > 4 ? " and \(names.count - 4) more" : "")
    }
}
