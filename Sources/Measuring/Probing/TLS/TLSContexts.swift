// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// Caches the settings for TLS sessions, with the trusted certificates: created when first needed, and again after the
/// certificate files have changed.
struct TLSContexts {
    private let roots: TrustRoots
    private var files: [FileVersion]?
    private var context: TLSContext?

    init(roots: TrustRoots) {
        self.roots = roots
    }

    /// The current settings; nil if OpenSSL is out of memory.
    mutating func current() -> TLSContext? {
        let now = roots.files
        if let context, now == files { return context }
        files = now
        context = TLSContext(now, count: roots.fileCount)
        return context
    }
}

/// OpenSSL's SSL_CTX with a store of trusted certificates.
final class TLSContext {
    let handle: OpaquePointer
    /// Whether all files of trusted certificates were found and read.
    let hasAllRoots: Bool

    /// Reads the certificate files; `count` is the number of files that should exist.
    init?(_ files: [FileVersion], count: Int) {
        // Loads no OpenSSL configuration, which could add providers or engines that a probe should not use.
        let options = UInt64(OPENSSL_INIT_NO_LOAD_CONFIG)
        guard OPENSSL_init_ssl(options, nil) == 1, let handle = SSL_CTX_new(TLS_client_method()) else {
            ERR_clear_error()
            return nil
        }
        self.handle = handle
        let read = files.count { SSL_CTX_load_verify_file(handle, $0.path) == 1 }
        hasAllRoots = read > 0 && read == count
        // TLS versions before 1.2 are deprecated (RFC 8996).
        _ = lc_ssl_set_least_version(handle, TLS1_2_VERSION)
        _ = lc_ssl_set_mode(handle, Int(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER))
        // A renegotiation shows nothing new, and costs this host more than the server that requests it.
        SSL_CTX_set_options(handle, lc_ssl_no_renegotiation)
        SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_cert_verify_callback(handle, TLSSession.verify, nil)
        ERR_clear_error()
    }

    deinit { SSL_CTX_free(handle) }
}
