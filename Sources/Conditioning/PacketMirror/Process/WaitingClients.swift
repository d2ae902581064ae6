// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem

/// Clients of a mirror's process that have not said what they want. Neither packets nor other clients wait for them.
struct WaitingClients {
    /// A further one ends the wait of the first.
    private static let maximum = 16
    /// The time in which a request must come.
    private static let requestTimeout = Duration.seconds(1)

    /// The clients in the order in which they came; the deadlines are by `BootClock`.
    private var clients: [(socket: CInt, deadline: Duration)] = []

    /// Readable when one has said something.
    var descriptors: [CInt] { clients.map(\.socket) }

    /// The time at which the first has used up its time; nil if there is none.
    var deadline: Duration? { clients.first?.deadline }

    /// Accepts one.
    mutating func accept(from listener: CInt, at now: Duration) {
        let socket = lc_accept(listener)
        guard socket >= 0 else { return }
        if clients.count == Self.maximum { close(clients.removeFirst().socket) }
        clients.append((socket, now + Self.requestTimeout))
    }

    /// Removes those that have said something, and returns their sockets and requests; closes those that are gone, or whose
    /// time is over.
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
