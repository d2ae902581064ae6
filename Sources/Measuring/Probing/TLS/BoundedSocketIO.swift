// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Glibc

/// Connects a TLS session to a socket that another object owns: like BIO_s_socket(3), but limits the reads in one turn.
///
/// OpenSSL keeps reading while it receives no application data, but requests for renegotiation (RFC 5246, section
/// 7.4.1.1), key updates or tickets. A server that sends these without end would block this thread, and so every other
/// probe.
final class BoundedSocketIO {
    /// The maximum number of reads in one turn. A record needs two: the header, then the rest.
    static let readsPerTurn = 64

    private let descriptor: Int32
    private var readsLeft = readsPerTurn

    /// - Parameter descriptor: a connected, non-blocking socket.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    func beginTurn() { readsLeft = Self.readsPerTurn }

    /// Makes the session read and write through this object, which must outlive it. False if OpenSSL is out of memory.
    func attach(to session: OpaquePointer) -> Bool {
        guard let method = Self.method, let bio = BIO_new(method) else { return false }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        // The session frees the BIO.
        SSL_set_bio(session, bio, bio)
        return true
    }

    private static let retry = BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY

    /// Created once, and never changed or freed.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "linkcond probe") else {
            return nil
        }
        let isComplete =
            BIO_meth_set_read(method) { bio, bytes, count in
                BoundedSocketIO.of(bio)?.read(bio, bytes, count) ?? -1
            } == 1
            && BIO_meth_set_write(method) { bio, bytes, count in
                BoundedSocketIO.of(bio)?.write(bio, bytes, count) ?? -1
            } == 1
            && BIO_meth_set_ctrl(method) { bio, command, _, _ in
                switch command {
                case BIO_CTRL_FLUSH: 1
                case BIO_CTRL_EOF: BIO_test_flags(bio, BIO_FLAGS_IN_EOF) == 0 ? 0 : 1
                default: 0
                }
            } == 1
        return isComplete ? method : nil
    }()

    private static func of(_ bio: OpaquePointer?) -> BoundedSocketIO? {
        BIO_get_data(bio).map { Unmanaged<BoundedSocketIO>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(_ bio: OpaquePointer?, _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int32) -> Int32 {
        BIO_clear_flags(bio, Self.retry)
        guard readsLeft > 0 else {
            BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
            return -1
        }
        readsLeft -= 1
        let result = recv(descriptor, bytes, Int(count), 0)
        if result == 0 { BIO_set_flags(bio, BIO_FLAGS_IN_EOF) }
        if result < 0, errno == EAGAIN || errno == EINTR { BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY) }
        return Int32(result)
    }

    private func write(_ bio: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int32) -> Int32 {
        BIO_clear_flags(bio, Self.retry)
        let result = send(descriptor, bytes, Int(count), Int32(MSG_NOSIGNAL))
        if result < 0, errno == EAGAIN || errno == EINTR {
            BIO_set_flags(bio, BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        }
        return Int32(result)
    }
}
