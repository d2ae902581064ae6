// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Whose certificates are trusted.
public struct TrustRoots: Hashable, Sendable {
    /// Whether those of this system are.
    public var includesSystem: Bool
    /// A file of further ones (PEM), such as those of one's own authority.
    public var file: String?

    /// Names whom to trust.
    public init(includesSystem: Bool = true, file: String? = nil) {
        self.includesSystem = includesSystem
        self.file = file
    }

    /// Those of this system: the first file that is there, of the environment's SSL_CERT_FILE, then
    /// `/etc/ssl/certs/ca-certificates.crt` (Debian, Ubuntu, Arch, Alpine, Gentoo),
    /// `/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem` and `/etc/pki/tls/certs/ca-bundle.crt` (Fedora, RHEL),
    /// `/etc/ssl/ca-bundle.pem` (openSUSE) and `/etc/ssl/cert.pem` (Alpine).
    public static let system = TrustRoots()

    /// Where they are now: what is missing is left out.
    var files: Files {
        var found = Files()
        if includesSystem {
            let places = getenv("SSL_CERT_FILE").map { [String(cString: $0)] } ?? Self.systemPlaces
            if let place = places.lazy.compactMap(Version.init).first { found.versions.append(place) }
        }
        if let file, let version = Version(file) { found.versions.append(version) }
        return found
    }

    /// How many files there should be.
    var fileCount: Int { (includesSystem ? 1 : 0) + (file == nil ? 0 : 1) }

    private static let systemPlaces = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]

    /// The files that are there; equal as long as none has changed.
    struct Files: Equatable {
        var versions: [Version] = []
    }

    /// A file as it is now.
    struct Version: Equatable {
        let path: String
        private let device: UInt
        private let inode: UInt
        private let size: Int
        /// A timespec, whose fields Swift does not show to every build.
        private let changed: [UInt8]

        /// Nil where there is no such file, or nothing in it.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return nil }
            self.path = path
            device = UInt(status.st_dev)
            inode = UInt(status.st_ino)
            size = Int(status.st_size)
            changed = withUnsafeBytes(of: status.st_mtim) { Array($0) }
        }
    }
}
