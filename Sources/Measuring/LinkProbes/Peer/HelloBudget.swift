// SPDX-License-Identifier: Apache-2.0

/// Limits the hellos that get a challenge, so that replayed hellos do not lock other clients out.
///
/// A hello carries its sending time. If that is within `window` of this clock, the hello is answered once, within a
/// limit a second for each address. A hello outside of the window comes from a client with a wrong clock or from a
/// recording: such hellos have a separate, smaller limit.
struct HelloBudget: Sendable {
    /// How far the clocks of both ends may differ, in nanoseconds.
    static let window: Int64 = 300_000_000_000
    private static let (all, ofAddress, untimed) = (200, 10, 5)

    private var second = Int64.min
    private var (counted, untimed) = (0, 0)
    /// The number of hellos answered in this second, by the first 8 bytes of the address: a client may have all
    /// addresses of its IPv6 /64.
    private var byAddress: [ArraySlice<UInt8>: Int] = [:]
    /// The answered hellos, each with the monotonic time until which a replay of it would be within the window.
    private var answered: [Hello: Int64] = [:]

    private struct Hello: Hashable {
        let session: UInt64
        let sent: Int64
    }

    /// Whether to answer a hello whose tag is right; counts the hello if so.
    ///
    /// - Parameter sent: the sending time in the hello, by the sender's time of day.
    mutating func admits(_ session: UInt64, sent: Int64, from endpoint: PeerAddress, _ now: Reflector.Instant) -> Bool {
        if second != now.monotonic / 1_000_000_000 {
            second = now.monotonic / 1_000_000_000
            (counted, untimed, byAddress) = (0, 0, [:])
            answered = answered.filter { $0.value >= now.monotonic }
        }
        let (age, overflow) = now.wall.subtractingReportingOverflow(sent)
        guard !overflow, abs(age) <= Self.window else {
            untimed += 1
            return untimed <= Self.untimed
        }
        let hello = Hello(session: session, sent: sent)
        let address = endpoint.bytes.prefix(8)
        guard answered[hello] == nil, counted < Self.all, byAddress[address, default: 0] < Self.ofAddress else {
            return false
        }
        counted += 1
        byAddress[address, default: 0] += 1
        answered[hello] = now.monotonic + 2 * Self.window
        return true
    }
}
