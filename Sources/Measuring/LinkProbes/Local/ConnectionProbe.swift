// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkVerification

/// Opens TCP connections, and measures how long the handshake takes.
enum ConnectionProbe {
    /// Opens `count` connections in turn; returns the milliseconds that each handshake took, without failed ones.
    static func run(_ count: Int, _ timeout: Duration, to server: ProbeServer) throws(ProbeError) -> [Double] {
        var times: [Double] = []
        let deadline = lc_monotonic_time() + Int64(timeout / .nanoseconds(1)) + Int64(count) * 1_000_000_000
        for _ in 0..<count where lc_monotonic_time() < deadline {
            if let time = try connect(to: server.address.value, deadline) { times.append(time) }
            let accepted = accept(server.listener, nil, nil)
            if accepted >= 0 { close(accepted) }
            // Waits, so that the packets that end this connection do not delay the next one.
            usleep(UInt32(min(2 * (times.last ?? 10) + 20, 500) * 1_000))
        }
        return times
    }

    private static func connect(to address: lc_address, _ deadline: Int64) throws(ProbeError) -> Double? {
        let start = lc_monotonic_time()
        let client = try ClientConnection(to: address)
        var waiting = pollfd(fd: client.descriptor, events: Int16(POLLOUT), revents: 0)
        let limit = CInt(max((deadline - start) / 1_000_000, 1))
        guard poll(&waiting, 1, limit) == 1, lc_take_pending_error(client.descriptor) == 0 else { return nil }
        return Double(lc_monotonic_time() - start) / 1e6
    }
}

/// A TCP connection that is open or opening. It is closed with a reset, so that its port is free at once.
final class ClientConnection {
    let descriptor: CInt

    init(to address: lc_address) throws(ProbeError) {
        let opened = lc_open_socket(CInt(lc_tcp), address.length == 16 ? 1 : 0)
        guard opened >= 0 else { throw ProbeError("socket", -opened) }
        descriptor = opened
        // The congestion control of `TransferModel`, if this user may select it: TCP_CONGESTION of tcp(7).
        var name = "cubic"
        name.withUTF8 { _ = setsockopt(descriptor, CInt(IPPROTO_TCP), 13, $0.baseAddress, socklen_t($0.count)) }
        var address = address
        let result = lc_connect(descriptor, &address)
        guard result == 0 || result == -EINPROGRESS else { throw ProbeError("connect", -result) }
    }

    deinit { lc_close_abruptly(descriptor) }
}
