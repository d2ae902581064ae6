// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import CapturedPackets
import TestKit

@testable import ClientTraffic
@testable import TestPackets

/// A TLS connection between a client and a server of OpenSSL, in memory, whose segments are put into a capture.
final class TLSSession {
    struct Settings {
        var version = TLS1_3_VERSION
        /// A suite of TLS 1.3, as OpenSSL calls it.
        var suite = "TLS_AES_128_GCM_SHA256"
        /// Those of TLS 1.2.
        var ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256"
        /// The protocols that both sides speak (RFC 7301).
        var protocols: [String] = []
        /// A group that the server insists on: it asks for another ClientHello.
        var serverGroup: String?
    }

    /// What one side makes of its bytes.
    private struct End {
        let context: OpaquePointer
        let session: OpaquePointer
        var sequence: UInt32 = 1
    }

    private(set) var capture: TestCapture
    /// The lines of the key log so far.
    private(set) var keys = ""
    /// Whether lines go into the capture as they come.
    var logsKeys = true
    private var client: End
    private var server: End
    private var time = 0
    private let settings: Settings

    init(_ settings: Settings = Settings(), in capture: TestCapture, resuming earlier: TLSSession? = nil) throws {
        self.capture = capture
        self.settings = settings
        client = try Self.end(settings, isClient: true, of: earlier?.client.context)
        server = try Self.end(settings, isClient: false, of: earlier?.server.context)
        SSL_set_ex_data(client.session, 0, Unmanaged.passUnretained(lines).toOpaque())
        SSL_set_connect_state(client.session)
        SSL_set_accept_state(server.session)
        if let ticket = earlier?.ticket { SSL_set_session(client.session, ticket) }
        self.capture.client(.syn, 0, at: 0)
        self.capture.server(.answer, 0, ack: 1, at: 20)
    }

    deinit {
        for end in [client, server] {
            SSL_free(end.session)
            SSL_CTX_free(end.context)
        }
    }

    private var ticket: OpaquePointer? { SSL_get1_session(client.session) }
    private let lines = KeyLogLines()

    /// Brings the handshake to its end.
    func connect() throws {
        for _ in 0..<6 {
            _ = SSL_do_handshake(client.session)
            send(.client)
            _ = SSL_do_handshake(server.session)
            send(.server)
        }
        guard SSL_is_init_finished(client.session) == 1, SSL_is_init_finished(server.session) == 1 else {
            throw TestFailure("the handshake failed: \(ERR_get_error())")
        }
        // Tickets come after it.
        readAll(.client)
    }

    /// Sends content of a side.
    func send(_ bytes: [UInt8], from side: Connection.Side, at time: Int? = nil) {
        self.time = time ?? self.time + 10
        let session = side == .client ? client.session : server.session
        _ = SSL_write(session, bytes, Int32(bytes.count))
        send(side)
        readAll(side == .client ? .server : .client)
    }

    private func readAll(_ side: Connection.Side) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while SSL_read(side == .client ? client.session : server.session, &buffer, Int32(buffer.count)) > 0 {}
        // An update of keys is answered with one.
        send(side)
    }

    func send(_ text: String, from side: Connection.Side) { send(Array(text.utf8), from: side) }

    /// Sends content before the handshake.
    func sendEarly(_ text: String) throws {
        var count = 0
        let bytes = Array(text.utf8)
        guard SSL_write_early_data(client.session, bytes, bytes.count, &count) == 1 else {
            throw TestFailure("no early data: \(ERR_get_error())")
        }
        send(.client)
    }

    /// Lets the server read early data, which it then accepts.
    func acceptEarly() {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        var count = 0
        for _ in 0..<3 {
            _ = SSL_read_early_data(server.session, &buffer, buffer.count, &count)
            send(.server)
        }
    }

    /// Makes new keys for what a side sends, and asks the other for the same.
    func updateKeys(_ side: Connection.Side) {
        SSL_key_update(side == .client ? client.session : server.session, SSL_KEY_UPDATE_REQUESTED)
    }

    /// Sends the ClientHello only.
    func begin() {
        _ = SSL_do_handshake(client.session)
        send(.client)
    }

    /// Adds lines of a key log.
    func addKeys(_ lines: String) { capture.add(.tlsKeys(Array(lines.utf8))) }

    /// Puts what a side has made into the capture, and hands it to the other.
    private func send(_ side: Connection.Side) {
        keys += lines.text
        if logsKeys, !lines.text.isEmpty { capture.add(.tlsKeys(Array(lines.text.utf8))) }
        lines.text = ""
        let (own, other) = side == .client ? (client, server) : (server, client)
        var buffer = [UInt8](repeating: 0, count: 1400)
        while case let count = BIO_read(SSL_get_wbio(own.session), &buffer, Int32(buffer.count)), count > 0 {
            let bytes = Array(buffer.prefix(Int(count)))
            _ = BIO_write(SSL_get_rbio(other.session), bytes, count)
            time += 1
            if side == .client {
                capture.client(.data, client.sequence, ack: server.sequence, bytes, at: time)
                client.sequence += UInt32(count)
            } else {
                capture.server(.data, server.sequence, ack: client.sequence, bytes, at: time)
                server.sequence += UInt32(count)
            }
        }
    }

    /// - Parameter earlier: the context of an earlier session, which knows its tickets.
    private static func end(_ settings: Settings, isClient: Bool, of earlier: OpaquePointer?) throws -> End {
        if let earlier {
            SSL_CTX_up_ref(earlier)
            return try End(context: earlier, session: session(earlier))
        }
        guard let context = SSL_CTX_new(isClient ? TLS_client_method() : TLS_server_method()) else {
            throw TestFailure("no context")
        }
        _ = SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(settings.version), nil)
        _ = SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(settings.version), nil)
        SSL_CTX_set_ciphersuites(context, settings.suite)
        SSL_CTX_set_cipher_list(context, settings.ciphers)
        SSL_CTX_set_security_level(context, 0)
        SSL_CTX_set_max_early_data(context, 1 << 14)
        if isClient {
            SSL_CTX_set_keylog_callback(context) { session, line in
                guard let line, let lines = SSL_get_ex_data(session, 0) else { return }
                Unmanaged<KeyLogLines>.fromOpaque(lines).takeUnretainedValue().text += String(cString: line) + "\n"
            }
            let names = settings.protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
            if !names.isEmpty { SSL_CTX_set_alpn_protos(context, names, UInt32(names.count)) }
        } else {
            try useCertificate(context)
            // The first that the client offers.
            SSL_CTX_set_alpn_select_cb(
                context,
                { _, chosen, length, offered, _, _ in
                    guard let offered, let chosen, let length else { return SSL_TLSEXT_ERR_NOACK }
                    (chosen.pointee, length.pointee) = (offered + 1, offered[0])
                    return SSL_TLSEXT_ERR_OK
                },
                nil
            )
            if let group = settings.serverGroup {
                _ = group.withCString {
                    SSL_CTX_ctrl(context, SSL_CTRL_SET_GROUPS_LIST, 0, UnsafeMutableRawPointer(mutating: $0))
                }
            }
        }
        return try End(context: context, session: session(context))
    }

    private static func session(_ context: OpaquePointer) throws -> OpaquePointer {
        guard let session = SSL_new(context) else { throw TestFailure("no session") }
        SSL_set_bio(session, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
        return session
    }

    /// A key of Ed25519, and a certificate that it signs itself.
    private static func useCertificate(_ context: OpaquePointer) throws {
        var key: OpaquePointer?
        let generator = EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nil)
        defer { EVP_PKEY_CTX_free(generator) }
        guard EVP_PKEY_keygen_init(generator) == 1, EVP_PKEY_keygen(generator, &key) == 1,
            let certificate = X509_new()
        else { throw TestFailure("no key") }
        defer {
            EVP_PKEY_free(key)
            X509_free(certificate)
        }
        X509_gmtime_adj(X509_getm_notBefore(certificate), 0)
        X509_gmtime_adj(X509_getm_notAfter(certificate), 86_400)
        X509_set_pubkey(certificate, key)
        guard X509_sign(certificate, key, nil) > 0, SSL_CTX_use_certificate(context, certificate) == 1,
            SSL_CTX_use_PrivateKey(context, key) == 1
        else { throw TestFailure("no certificate") }
    }
}

extension TLSSession.Settings {
    /// All that is read, by name.
    static let read: [Self] =
        ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"].map { Self(suite: $0) }
        + ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"].map {
            Self(version: TLS1_2_VERSION, ciphers: "ECDHE-ECDSA-\($0)")
        }
}

/// The lines that the callback of a session adds.
private final class KeyLogLines {
    var text = ""
}
