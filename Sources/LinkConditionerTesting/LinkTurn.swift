// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// The turn of a test at the link that all tests of a sandbox share, those of other processes among them.
///
/// It is the name of an abstract unix socket (unix(7)): names belong to the network, so that each sandbox has its own, and
/// the kernel frees one with its holder.
enum LinkTurn {
    /// Whether a trait outside of this one has the turn.
    @TaskLocal private static var isHeld = false

    private static let name = "linkcond-link-turn"

    /// Runs `body` when it is this test's turn.
    ///
    /// - Parameter body: is told whether the turn was taken for it, and not for a trait outside.
    static func take<Result>(_ body: (_ isOutermost: Bool) async throws -> Result) async throws -> Result {
        guard !isHeld else { return try await body(false) }
        let socket = try await wait()
        defer { close(socket) }
        return try await $isHeld.withValue(true) { try await body(true) }
    }

    private static func wait() async throws -> CInt {
        let socket = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw SystemError(operation: "make a socket", code: errno) }
        do {
            while !bind(socket) {
                guard errno == EADDRINUSE else { throw SystemError(operation: "take a turn at the link", code: errno) }
                try await Task.sleep(for: .milliseconds(5))
            }
        } catch {
            close(socket)
            throw error
        }
        return socket
    }

    private static func bind(_ socket: CInt) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = [0] + Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(socket, $0, length) == 0 }
        }
    }
}
