// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc

extension Reason {
    /// There is no such unix socket.
    public static let socketMissing = Reason(.local, "socketMissing")
    /// The service does not take the connections that wait for it.
    public static let backlogFull = Reason(.transport, "backlogFull")
}

/// A connection to a unix socket of whatever type it is: unix(7).
final class UnixConnect: ProbeWork {
    private static let kinds = [lc_unix_stream, lc_unix_seqpacket, lc_unix_datagram]

    private let path: String
    private var start: Int64 = 0
    private(set) var descriptor: ProbeSocket?

    init(_ path: String) {
        self.path = path
    }

    func begin(_ now: Int64) throws(DescriptorShortage) -> Step {
        start = now
        return try connect(now)
    }

    func wake(_ now: Int64) -> Step {
        do throws(DescriptorShortage) {
            return try connect(now)
        } catch {
            return .end(Observation(.nothing(.resources)))
        }
    }

    func proceed(_ what: Int, _ now: Int64) -> Step { .stay }

    /// Only a service that takes no connections makes us wait.
    func timeOut() -> Observation { Observation(.failed(.backlogFull)) }

    private func connect(_ now: Int64) throws(DescriptorShortage) -> Step {
        var number: Int32 = EPROTOTYPE
        for kind in Self.kinds where number == EPROTOTYPE {
            do throws(SocketRefusal) {
                let socket = try ProbeSocket(kind)
                descriptor = socket
                number = -lc_connect_path(socket.descriptor, path)
            } catch {
                if error.number == EMFILE || error.number == ENFILE { throw DescriptorShortage() }
                number = error.number
            }
        }
        // A full backlog would make a blocking connect(2) wait; there is no event that says when it no longer is.
        if number == EAGAIN { return .sleep(until: now + 20_000_000) }
        var observation = Observation(
            KernelAnswer.unixSocket(number, after: .nanoseconds(lc_monotonic_time() - start))
        )
        observation.errorNumber = number == 0 ? nil : number
        return .end(observation)
    }
}
