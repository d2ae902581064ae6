// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc

/// Connects to a unix socket of any type (unix(7)).
final class UnixConnect: ProbeWork {
    private static let kinds = [lc_unix_stream, lc_unix_seqpacket, lc_unix_datagram]

    private let path: String
    private var start: Int64 = 0
    private(set) var descriptor: ProbeSocket?

    init(_ path: String) { self.path = path }

    func begin(_ now: Int64, over interface: String?) throws(SocketRefusal) -> ProbeStep {
        start = now
        return try connect(now)
    }

    func wake(_ now: Int64) throws(SocketRefusal) -> ProbeStep { try connect(now) }

    func proceed(_ what: Int, _ now: Int64) -> ProbeStep { .stay }

    /// Times out only if the service's backlog stays full.
    func timeOut() -> Observation { Observation(.failed(.backlogFull)) }

    private func connect(_ now: Int64) throws(SocketRefusal) -> ProbeStep {
        var number: Int32 = EPROTOTYPE
        for kind in Self.kinds where number == EPROTOTYPE {
            do throws(SocketRefusal) {
                let socket = try ProbeSocket(kind)
                descriptor = socket
                number = -lc_connect_path(socket.descriptor, path)
            } catch {
                if error.isShortage { throw error }
                number = error.number
            }
        }
        // With a full backlog, a blocking connect(2) would wait. No event reports that there is room again, so this
        // polls.
        if number == EAGAIN { return .sleep(until: now + 20_000_000) }
        let finding = KernelAnswer.unixSocket(number, after: .nanoseconds(lc_monotonic_time() - start))
        return .end(Observation(finding, errorNumber: number == 0 ? nil : number))
    }
}
