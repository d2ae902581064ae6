// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinkProfiles

/// Runs a reflector on a UDP socket.
package struct ReflectorLoop {
    private let socket: DatagramSocket
    private var reflector: Reflector
    private let end: Int64
    /// The most datagrams to receive before sending those that are due.
    private static let batch = 64

    /// - Parameter address: the address to bind to; the unspecified address listens on all addresses.
    package init(
        _ key: ReflectionKey,
        at address: PeerAddress,
        rate: BitRate,
        for time: Duration,
        bootID: String
    ) throws(ProbeError) {
        socket = try DatagramSocket(isIPv6: address.isIPv6)
        try socket.bind(address)
        end = lc_monotonic_time() + time.nanoseconds
        let clockError = lc_clock_error()
        var random = SystemRandomNumberGenerator()
        reflector = Reflector(
            key,
            rate: rate,
            machine: Reflector.Machine(bootID: bootID, clockError: clockError < 0 ? nil : clockError),
            end: end,
            random: &random
        )
    }

    /// Serves clients until the time has passed or `stop` is readable.
    package mutating func run(stop: CInt, report: (Reflector.Event) -> Void) throws(ProbeError) {
        // With the default timer slack, a late packet would leave in a burst with the next ones.
        _ = lc_prctl(PR_SET_TIMERSLACK, 1)
        while lc_monotonic_time() < end, !isReadable(stop) {
            var count = 0
            while count < Self.batch, let arrival = try socket.receive() {
                count += 1
                let answer = reflector.receive(arrival.bytes, from: arrival.from, came: arrival.time, now: Self.now)
                if let answer { try socket.send(answer, to: arrival.from) }
            }
            if let due = reflector.due(Self.now) {
                for group in due.groups { try socket.send(group, to: due.to) }
            }
            for event in reflector.drainEvents() { report(event) }
            guard count < Self.batch else { continue }
            let next = reflector.nextSend.map { $0 - lc_wall_time() } ?? .max
            socket.wait(min(next, end - lc_monotonic_time(), 1_000_000_000), or: stop)
        }
    }

    private static var now: Reflector.Instant {
        Reflector.Instant(wall: lc_wall_time(), monotonic: lc_monotonic_time())
    }

    private func isReadable(_ descriptor: CInt) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0
    }
}
