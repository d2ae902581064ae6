// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkVerification

/// Opens TCP connections over the loopback, and measures how long the handshake takes.
enum ConnectionProbe {
    private static let port: UInt16 = 7_001

    /// The milliseconds from each connect(2) to its end, without those that failed.
    static func run(_ count: Int, _ patience: Duration) throws(ProbeError) -> [Double] {
        let listener = lc_open_socket(CInt(lc_tcp), 0)
        guard listener >= 0 else { throw ProbeError("socket", -listener) }
        defer { close(listener) }
        var address = Loopback.address(false, port)
        let bound = lc_bind(listener, &address)
        guard bound == 0, listen(listener, 128) == 0 else {
            throw ProbeError("listen on port \(port)", bound == 0 ? errno : -bound)
        }
        var times: [Double] = []
        let deadline = lc_monotonic_time() + Int64(patience / .nanoseconds(1)) + Int64(count) * 1_000_000_000
        for _ in 0..<count where lc_monotonic_time() < deadline {
            if let time = try connect(to: address, deadline) { times.append(time) }
            let accepted = accept(listener, nil, nil)
            if accepted >= 0 { close(accepted) }
            // What ends a connection must not be in the way of the next one.
            usleep(UInt32(min(2 * (times.last ?? 10) + 20, 500) * 1_000))
        }
        return times
    }

    private static func connect(to address: lc_address, _ deadline: Int64) throws(ProbeError) -> Double? {
        let client = lc_open_socket(CInt(lc_tcp), 0)
        guard client >= 0 else { throw ProbeError("socket", -client) }
        // The port is free at once.
        defer { lc_close_abruptly(client) }
        var address = address
        let start = lc_monotonic_time()
        let result = lc_connect(client, &address)
        guard result == 0 || result == -EINPROGRESS else { throw ProbeError("connect", -result) }
        var waiting = pollfd(fd: client, events: Int16(POLLOUT), revents: 0)
        let limit = CInt(max((deadline - start) / 1_000_000, 1))
        guard poll(&waiting, 1, limit) == 1, lc_take_pending_error(client) == 0 else { return nil }
        return Double(lc_monotonic_time() - start) / 1e6
    }
}
