// SPDX-License-Identifier: Apache-2.0

/// The hellos that get a challenge, so that a recorded one keeps no other client waiting.
///
/// A hello says when it was sent. One that was sent within some minutes is answered once, each address having a share of
/// its own. Others come from a client with a wrong clock, or from a recording: they have a share that takes nothing from
/// those.
struct HelloBudget: Sendable {
    /// How far the clocks of both ends may differ.
    static let window: Int64 = 300_000_000_000
    private static let (all, ofAddress, untimed) = (200, 10, 5)

    private var second = Int64.min
    private var (counted, untimed) = (0, 0)
    /// The counts by address; for IPv6 by the network of 64 bits, since a client has all of its addresses.
    private var byAddress: [ArraySlice<UInt8>: Int] = [:]
    /// The hellos that were answered, and until when they could be taken for new ones, by the monotonic clock.
    private var answered: [Hello: Int64] = [:]

    private struct Hello: Hashable {
        let session: UInt64
        let sent: Int64
    }

    /// Whether a hello with the right tag is to be answered; counts it if so.
    ///
    /// - Parameter sent: when it says that it was sent, by its sender's time of day.
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
