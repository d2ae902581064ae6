// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import InternetAddresses

/// A TCP handshake, after which the connection is reset.
final class TCPConnect: ProbeWork {
    private let address: IPAddress
    private let port: UInt16
    private var start: Int64 = 0
    private(set) var descriptor: ProbeSocket?

    init(_ address: IPAddress, _ port: UInt16) { (self.address, self.port) = (address, port) }

    func begin(_ now: Int64, over interface: String?) throws(SocketRefusal) -> ProbeStep {
        start = now
        let socket = try ProbeSocket(lc_tcp, to: address, over: interface)
        descriptor = socket
        return switch socket.connect(to: address, port) {
        case 0: .end(answer(socket, now))
        case EINPROGRESS: .wait(lc_writable)
        case let number: .end(Observation(atOnce: number, to: address))
        }
    }

    func proceed(_ what: Int, _ now: Int64) -> ProbeStep {
        guard let socket = descriptor else { return .stay }
        let elapsed = Duration.nanoseconds(now - start)
        if var failure = socket.failure(address.family, after: elapsed) {
            failure.phases[.connect] = elapsed
            return .end(failure)
        }
        if what & lc_failed != 0 { return .end(Observation(.failed(.reset))) }
        return .end(answer(socket, now))
    }

    /// The observation for a completed handshake, with the kernel's measurement of the round trip, which excludes the
    /// time that this process took to notice. If a segment was retransmitted, that is less than a client waits.
    private func answer(_ socket: ProbeSocket, _ now: Int64) -> Observation {
        let elapsed = Duration.nanoseconds(now - start)
        let measured = lc_tcp_round_trip(socket.descriptor)
        let isMeasured = measured > 0 && .microseconds(measured) < elapsed
        var observation = Observation(.answered(isMeasured ? .microseconds(measured) : elapsed))
        observation.phases[.connect] = elapsed
        return observation
    }
}
