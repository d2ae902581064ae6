// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import COpenSSL
import Glibc
import InternetAddresses

/// One TLS session over a connected, non-blocking socket, which another object owns.
///
/// Each call reads a limited amount, so that no server can block the thread.
final class TLSSession {
    /// The result of a call.
    enum Result {
        case done(Int)
        /// The call must be repeated when the socket is ready (lc_readable or lc_writable).
        case wait(Int)
        /// The server closed the session or the connection.
        case closed
        /// A socket error: errno(3).
        case socketError(Int32)
        case failed(SessionFailure)
    }

    private let handle: OpaquePointer
    private let context: TLSContext
    private let name: String
    private let socket: BoundedSocketIO
    /// The fault of the server's certificate; nil if it has none, or was not received yet.
    private(set) var fault: CertificateFault?
    /// When the server's certificate expires, in seconds since 1970.
    private(set) var certificateEnd: Int64?

    /// Prepares a client session; nil if `name` is not a possible host name, or OpenSSL is out of memory.
    ///
    /// - Parameters:
    ///   - name: the host or address that the certificate must be for. A host name is also sent to the server (SNI, RFC
    ///     6066, section 3), without a trailing dot.
    ///   - protocols: the application protocols to offer (ALPN, RFC 7301).
    init?(_ context: TLSContext, _ descriptor: Int32, name: String, protocols: [String]) {
        let host = name.hasSuffix(".") ? String(name.dropLast()) : name
        guard !host.isEmpty, host.utf8.count <= 253, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let handle = SSL_new(context.handle)
        else { return nil }
        (self.context, self.handle, self.name) = (context, handle, name)
        socket = BoundedSocketIO(descriptor)
        let parameters = SSL_get0_param(handle)
        X509_VERIFY_PARAM_set_hostflags(
            parameters,
            UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
        )
        var isSet = socket.attach(to: handle) && SSL_set_ex_data(handle, 0, nil) == 1
        if let address = IPAddress(host) {
            isSet = isSet && X509_VERIFY_PARAM_set1_ip(parameters, address.bytes, address.bytes.count) == 1
        } else {
            isSet = isSet && X509_VERIFY_PARAM_set1_host(parameters, host, host.utf8.count) == 1
            isSet = isSet && lc_ssl_set_host_name(handle, host) == 1
        }
        let offered = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        if !offered.isEmpty { isSet = isSet && SSL_set_alpn_protos(handle, offered, UInt32(offered.count)) == 0 }
        guard isSet else {
            ERR_clear_error()
            return nil
        }
        SSL_set_connect_state(handle)
        SSL_set_ex_data(handle, 0, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { SSL_free(handle) }

    /// The negotiated version, such as "TLSv1.3"; nil before the handshake.
    var version: String? {
        SSL_version(handle) == 0 ? nil : SSL_get_version(handle).map { String(cString: $0) }
    }

    func handshake() -> Result { call { SSL_do_handshake(handle) } }

    /// Reads into `buffer`; returns the number of bytes.
    func read(_ buffer: inout [UInt8]) -> Result {
        buffer.withUnsafeMutableBytes { bytes in call { SSL_read(handle, bytes.baseAddress, Int32(bytes.count)) } }
    }

    /// Writes; returns the number of bytes written, which may be fewer than given.
    func write(_ bytes: ArraySlice<UInt8>) -> Result {
        bytes.withUnsafeBytes { bytes in call { SSL_write(handle, bytes.baseAddress, Int32(bytes.count)) } }
    }

    private func call(_ body: () -> Int32) -> Result {
        ERR_clear_error()
        socket.beginTurn()
        errno = 0
        let count = body()
        let number = errno
        if count > 0 { return .done(Int(count)) }
        defer { ERR_clear_error() }
        switch SSL_get_error(handle, count) {
        case SSL_ERROR_WANT_READ: return .wait(lc_readable)
        case SSL_ERROR_WANT_WRITE: return .wait(lc_writable)
        case SSL_ERROR_ZERO_RETURN: return .closed
        case SSL_ERROR_SYSCALL: return number == 0 ? .closed : .socketError(number)
        default: return .failed(SessionFailure(ERR_peek_error()))
        }
    }

    /// Verifies the server's chain during the handshake, as a callback of SSL_CTX_set_cert_verify_callback(3); 1
    /// accepts it.
    static let verify: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { store, _ in
        guard let store,
            let handle = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let object = SSL_get_ex_data(OpaquePointer(handle), 0)
        else { return 0 }
        let session = Unmanaged<TLSSession>.fromOpaque(object).takeUnretainedValue()
        let certificate = X509_STORE_CTX_get0_cert(store).flatMap { Certificate($0) }
        session.certificateEnd = certificate?.notAfter
        session.fault = CertificateFault(ChainFault.verify(store), certificate, name: session.name)
        return session.fault == nil ? 1 : 0
    }

    /// The finding for a certificate's fault. If trusted certificates could not be read, an untrusted one shows
    /// nothing.
    func finding(_ fault: CertificateFault) -> Observation.Finding {
        fault.reason == .tlsUntrusted && !context.hasAllRoots ? .nothing(.noTrustRoots) : .failed(fault.reason)
    }
}
