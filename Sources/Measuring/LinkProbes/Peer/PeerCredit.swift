// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinkProfiles
internal import LinkVerification

/// The bytes that a reflector has to receive before it may send a flow: it never sends more bytes than it has received.
struct PeerCredit {
    private let traffic: ProbeTraffic
    /// The rate of the uplink; nil if it is unlimited.
    private let uplink: BitRate?

    init(_ traffic: ProbeTraffic, uplink: BitRate?) { (self.traffic, self.uplink) = (traffic, uplink) }

    /// The longest time for earning credit, in nanoseconds.
    private static let creditTimeout: Int64 = 10_000_000_000
    /// The rate at which credit is earned on an unlimited uplink.
    private static let usualRate = BitRate(bitsPerSecond: 50_000_000)
    /// Credit for the reflector's replies to requests, in bytes.
    private static let reserve: Int64 = 20_000

    /// The credit for one packet, with its entry in the log, in bytes.
    private var perPacket: Int64 { Int64(traffic.payload + ReflectorSession.headers + 16) }

    private var needed: Int64 { perPacket * Int64(traffic.packets) + Self.reserve }

    /// Sends bytes to the reflector until the balance suffices or `creditTimeout` has passed; returns the balance.
    ///
    /// - Parameter ask: requests the current balance from the reflector; called about once a second.
    func earn(
        _ connection: PeerConnection,
        from balance: Int64,
        ask: () throws(ProbeError) -> Int64
    ) throws(ProbeError) -> Int64 {
        var balance = balance
        let payload = ReflectionPacket.maximumLength
        // 10 % below the rate of the link, so that no queue fills.
        let frame = Double(payload + ProbeTraffic.headerBytes)
        let gap = max((uplink ?? Self.usualRate).time(forBytes: frame).nanoseconds * 11 / 10, 1_000)
        let end = lc_monotonic_time() + Self.creditTimeout
        while balance < needed, lc_monotonic_time() < end {
            let packets = min(Int((needed - balance) / Int64(payload)) + 1, max(Int(1_000_000_000 / gap), 1))
            var pace = PacedSends(
                ProbeTraffic(packets: packets, interval: .nanoseconds(gap), payload: payload),
                start: lc_wall_time()
            )
            while pace.next != .max {
                try connection.send(.fill, phase: 0, pace.dequeue(lc_wall_time()), length: payload)
                if pace.next != .max { connection.wait(pace.next - lc_wall_time()) }
            }
            balance = try ask()
        }
        return balance
    }

    /// The part of the flow for which the balance suffices; nil if it suffices for no packet.
    func affordable(_ balance: Int64) -> ProbeTraffic? {
        guard balance < needed else { return traffic }
        let packets = Int(max(balance - Self.reserve, 0) / perPacket)
        return packets == 0
            ? nil
            : ProbeTraffic(
                packets: packets,
                interval: traffic.interval,
                payload: traffic.payload,
                group: traffic.group
            )
    }

    /// Describes the part of the flow that the balance or the reflector's maximum rate does not allow; nil if all is
    /// allowed.
    func shortfall(_ balance: Int64, _ maximum: BitRate) -> String? {
        let bits = Double(traffic.group * (traffic.payload + ProbeTraffic.headerBytes) * 8)
        if bits * 1e9 / Double(traffic.interval.nanoseconds) > Double(maximum.bitsPerSecond) {
            return "the peer sends at most \(maximum), by its --rate"
        }
        let packets = affordable(balance)?.packets ?? 0
        return packets < traffic.packets
            ? "\(packets) packets of \(traffic.packets), since the peer sends no more than it gets" : nil
    }
}
