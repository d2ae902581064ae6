// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// Keeps the queue for a client's link short, so that data that the link has not accepted yet stays with the server.
///
/// The kernel's send buffer grows to megabytes, which take a slow link minutes: the server would see its data accepted
/// at once.
struct LinkPace {
    /// The limit of unsent bytes is what the link carries in 50 ms (a second divided by `share`), within these bounds.
    private static let bounds = 8_192...(1 << 17)
    private static let share = UInt64(20)
    /// TCP_NOTSENT_LOWAT of tcp(7).
    private static let unsentLowWater: CInt = 25
    /// The interval at which the rate is read, in nanoseconds.
    private static let interval: Int64 = 100_000_000

    private var limit = 0
    private var last = Int64.min

    /// Sets a socket's limit of unsent bytes from the rate at which its bytes arrive; at most once per `interval`.
    mutating func follow(_ socket: CInt) {
        let now = lc_monotonic_time()
        guard last == .min || now - last >= Self.interval else { return }
        last = now
        var sending = lc_sending()
        guard lc_sending(socket, &sending) == 0 else { return }
        let bytes = Int(clamping: sending.rate / Self.share)
        let new = min(max(bytes, Self.bounds.lowerBound), Self.bounds.upperBound)
        guard new != limit else { return }
        limit = new
        var value = CInt(new)
        setsockopt(socket, CInt(IPPROTO_TCP), Self.unsentLowWater, &value, socklen_t(MemoryLayout<CInt>.size))
    }
}
