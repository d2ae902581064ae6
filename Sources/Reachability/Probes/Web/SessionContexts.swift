// SPDX-License-Identifier: Apache-2.0

import NIOSSL

/// The settings of TLS sessions, which hold the trusted certificates: made at first need, and again when the files of
/// those have changed.
struct SessionContexts {
    /// Settings, and whether all whose certificates are to be trusted were found.
    struct Entry {
        let context: NIOSSLContext
        let hasAllRoots: Bool
    }

    private let roots: TrustRoots
    private var files: TrustRoots.Files?
    private var entries: [[String]: Entry] = [:]

    init(roots: TrustRoots) {
        self.roots = roots
    }

    /// The settings for sessions that offer these protocols (ALPN, RFC 7301).
    mutating func entry(protocols: [String]) throws -> Entry {
        let now = roots.files
        if now != files { (files, entries) = (now, [:]) }
        if let known = entries[protocols] { return known }
        var configuration = TLSConfiguration.makeClientConfiguration()
        // Older ones are not to be used any more (RFC 8996).
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = protocols
        // Names are checked with the rest of the certificate, for addresses too.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        var found = 0
        for version in now.versions {
            guard let certificates = try? NIOSSLCertificate.fromPEMFile(version.path), !certificates.isEmpty else {
                continue
            }
            configuration.additionalTrustRoots.append(.certificates(certificates))
            found += 1
        }
        let hasAllRoots = found > 0 && found == roots.fileCount
        let entry = Entry(context: try NIOSSLContext(configuration: configuration), hasAllRoots: hasAllRoots)
        entries[protocols] = entry
        return entry
    }
}
