// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkProfiles
internal import LinkVerification

/// Transfers as many bytes as possible over one TCP connection, in one direction.
enum TransferProbe {
    private static let pieceBytes = 65_536

    /// Returns the bytes received within `time` after the client connected, or until the connection broke.
    static func run(
        _ direction: Direction,
        _ time: Duration,
        to server: ProbeServer
    ) throws(ProbeError) -> Int {
        let client = try ClientConnection(to: server.address.value)
        var opening = pollfd(fd: client.descriptor, events: Int16(POLLOUT), revents: 0)
        let connectTimeout = CInt(TransferModel.connectTimeout / .milliseconds(1))
        guard poll(&opening, 1, connectTimeout) == 1, lc_take_pending_error(client.descriptor) == 0 else { return 0 }
        let end = lc_monotonic_time() + time.nanoseconds
        var accepted: CInt = -1
        defer { if accepted >= 0 { lc_close_abruptly(accepted) } }
        let zeros = [UInt8](repeating: 0, count: pieceBytes)
        var buffer = zeros
        var received = 0
        while true {
            let left = end - lc_monotonic_time()
            guard left > 0 else { return received }
            let (sender, receiver) =
                direction == .uplink ? (client.descriptor, accepted) : (accepted, client.descriptor)
            // poll(2) ignores a negative descriptor.
            var waiting = [
                pollfd(fd: accepted < 0 ? server.listener : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: sender, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: receiver, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waiting, 3, CInt(left / 1_000_000 + 1)) > 0 else { continue }
            if waiting[0].revents != 0 {
                accepted = accept(server.listener, nil, nil)
                if accepted >= 0 { _ = fcntl(accepted, F_SETFL, O_NONBLOCK) }
            }
            if waiting[1].revents != 0, send(sender, zeros, zeros.count, CInt(MSG_NOSIGNAL)) < 0, errno != EAGAIN {
                return received
            }
            if waiting[2].revents != 0 {
                let count = recv(receiver, &buffer, buffer.count, 0)
                guard count > 0 || count < 0 && errno == EAGAIN else { return received }
                received += max(count, 0)
            }
        }
    }
}
