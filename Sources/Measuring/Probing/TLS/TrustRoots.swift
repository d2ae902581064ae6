// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Selects the certificates to trust.
public struct TrustRoots: Hashable, Sendable {
    /// Whether to trust the certificates of this system.
    public var includesSystem: Bool
    /// A PEM file of additional certificates to trust, such as of a private CA.
    public var file: String?

    /// Selects the certificates to trust.
    public init(includesSystem: Bool = true, file: String? = nil) {
        self.includesSystem = includesSystem
        self.file = file
    }

    /// The roots of this system: the first existing file of the environment's SSL_CERT_FILE, then
    /// `/etc/ssl/certs/ca-certificates.crt` (Debian, Ubuntu, Arch, Alpine, Gentoo),
    /// `/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem` and `/etc/pki/tls/certs/ca-bundle.crt` (Fedora, RHEL),
    /// `/etc/ssl/ca-bundle.pem` (openSUSE) and `/etc/ssl/cert.pem` (Alpine).
    public static let system = TrustRoots()

    /// The certificate files that currently exist; the result is equal as long as none has changed.
    var files: [FileVersion] {
        let environment = getenv("SSL_CERT_FILE").map { [String(cString: $0)] }
        let system = (includesSystem ? environment ?? Self.systemPlaces : []).lazy.compactMap { FileVersion($0) }
        let own = file.flatMap { FileVersion($0) }
        return [system.first(where: \.hasContent), own].compactMap { $0?.hasContent == true ? $0 : nil }
    }

    /// The number of files that should exist.
    var fileCount: Int { (includesSystem ? 1 : 0) + (file == nil ? 0 : 1) }

    private static let systemPlaces = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]
}
