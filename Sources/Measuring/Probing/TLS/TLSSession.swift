// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import COpenSSL
import Glibc
import InternetAddresses

/// One TLS session over a connected, non-blocking socket, which it does not own.
///
/// Each call reads a limited amount, so that no server holds up the thread.
final class TLSSession {
    /// The way in which a call ended.
    enum Result {
        case done(Int)
        /// To be repeated when the socket is readable, or writable.
        case wait(Int)
        /// The other end closed the session or the connection.
        case closed
        /// errno(3).
        case socketError(Int32)
        case failed(SessionFailure)
    }

    private let handle: OpaquePointer
    private let context: TLSContext
    private let name: String
    private let socket: BoundedSocketIO
    /// The fault of the server's certificate, once it was seen.
    private(set) var fault: CertificateFault?
    /// The end of the server's certificate, in seconds since 1970.
    private(set) var certificateEnd: Int64?

    /// Prepares a session as a client; nil if `name` can be no host's.
    ///
    /// - Parameters:
    ///   - name: the host or address that the certificate must be for. Only a host's is sent to the server (RFC 6066,
    ///     section 3), without a dot at the end.
    ///   - protocols: the protocols to offer (ALPN, RFC 7301).
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

    /// The version, as "TLSv1.3"; nil before there is one.
    var version: String? {
        SSL_version(handle) == 0 ? nil : SSL_get_version(handle).map { String(cString: $0) }
    }

    func handshake() -> Result { call { SSL_do_handshake(handle) } }

    /// Reads into `buffer`; how many bytes.
    func read(_ buffer: inout [UInt8]) -> Result {
        buffer.withUnsafeMutableBytes { bytes in call { SSL_read(handle, bytes.baseAddress, Int32(bytes.count)) } }
    }

    /// Writes; how many of the bytes.
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

    /// Judges the server's chain within the handshake, as SSL_CTX_set_cert_verify_callback(3) asks: 1 accepts it.
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

    /// The finding for a fault: a certificate that no root signed says nothing if the roots cannot be read.
    func finding(_ fault: CertificateFault) -> Observation.Finding {
        fault.reason == .tlsUntrusted && !context.hasAllRoots ? .nothing(.noTrustRoots) : .failed(fault.reason)
    }
}
