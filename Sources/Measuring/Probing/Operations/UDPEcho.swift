// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import InternetAddresses

/// Sends a datagram to a service that is expected to echo it (RFC 862). Any reply counts.
final class UDPEcho: ProbeWork {
    private let address: IPAddress
    private let port: UInt16
    private var start: Int64 = 0
    private var startWall: Int64 = 0
    private(set) var descriptor: ProbeSocket?

    init(_ address: IPAddress, _ port: UInt16) { (self.address, self.port) = (address, port) }

    func begin(_ now: Int64, over interface: String?) throws(SocketRefusal) -> ProbeStep {
        let socket = try ProbeSocket(lc_udp, to: address, over: interface)
        descriptor = socket
        let refusal = socket.connect(to: address, port)
        guard refusal == 0 else { return .end(Observation(atOnce: refusal, to: address)) }
        start = now
        startWall = lc_wall_time()
        let payload = (0..<16).map { _ in UInt8.random(in: 0...255) }
        guard send(socket.descriptor, payload, payload.count, Int32(MSG_NOSIGNAL)) >= 0 else {
            return .end(Observation(atOnce: errno, to: address))
        }
        return .wait(lc_readable)
    }

    func proceed(_ what: Int, _ now: Int64) -> ProbeStep {
        guard let socket = descriptor else { return .stay }
        var datagram = lc_datagram()
        if what & lc_readable != 0, lc_receive_datagrams(socket.descriptor, &datagram, 1) == 1 {
            let elapsed = RoundTrip.of(monotonic: now - start, stamp: datagram.time, sentWallTime: startWall)
            return .end(Observation(.answered(.nanoseconds(elapsed))))
        }
        let elapsed = Duration.nanoseconds(now - start)
        guard var failure = socket.failure(address.family, after: elapsed) else { return .stay }
        failure.phases[.connect] = elapsed
        return .end(failure)
    }
}
