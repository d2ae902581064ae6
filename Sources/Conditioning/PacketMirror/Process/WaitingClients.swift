// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem

/// Clients of a mirror's process that have not sent their request. Neither packets nor other clients wait for them.
struct WaitingClients {
    /// The largest number of clients: one more closes the connection of the first.
    private static let maximum = 16
    /// The time in which a request must come.
    private static let requestTimeout = Duration.seconds(1)

    /// The clients in the order in which they came; the deadlines are by `BootClock`.
    private var clients: [(socket: CInt, deadline: Duration)] = []

    /// Descriptors that are readable when a client has sent something.
    var descriptors: [CInt] { clients.map(\.socket) }

    /// The earliest deadline; nil without clients.
    var deadline: Duration? { clients.first?.deadline }

    /// Accepts a client.
    mutating func accept(from listener: CInt, at now: Duration) {
        let socket = lc_accept(listener)
        guard socket >= 0 else { return }
        if clients.count == Self.maximum { close(clients.removeFirst().socket) }
        clients.append((socket, now + Self.requestTimeout))
    }

    /// Removes clients that have sent a request, and returns their sockets and requests; closes clients that are gone,
    /// or whose deadline has passed.
    mutating func receive(at now: Duration) -> [(socket: CInt, request: MirrorRequest)] {
        var requests: [(CInt, MirrorRequest)] = []
        clients.removeAll { socket, deadline in
            var byte: UInt8 = 0
            let count = recv(socket, &byte, 1, CInt(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EINTR, now < deadline { return false }
            if count == 1, let request = MirrorRequest(rawValue: byte) {
                requests.append((socket, request))
            } else {
                close(socket)
            }
            return true
        }
        return requests
    }
}
