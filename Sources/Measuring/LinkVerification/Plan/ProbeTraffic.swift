// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The datagrams of one direction.
package struct ProbeTraffic: Equatable, Sendable {
    package let packets: Int
    /// The time from one group to the next.
    package let interval: Duration
    /// The UDP payload of a datagram, in bytes.
    package let payload: Int
    /// The number of datagrams that are sent at once.
    package let group: Int

    /// The Ethernet, IPv4 and UDP headers of a datagram, in bytes.
    package static let headerBytes = 14 + 20 + 8
    /// The bytes by which an IPv6 header is longer than an IPv4 header.
    private static let extraIPv6 = 20

    package init(packets: Int, interval: Duration, payload: Int, group: Int = 1) {
        (self.packets, self.interval, self.payload, self.group) = (packets, interval, payload, group)
    }

    /// Sends at `load` times the rate for `time`.
    package init(filling rate: BitRate, _ load: Double, for time: Duration, payload: Int, group: Int = 1) {
        let bits = Double((payload + Self.headerBytes) * 8 * group)
        let interval = max(Int64(bits * 1e9 / (Double(rate.bitsPerSecond) * load)), 1)
        let groups = max(Int(time.nanoseconds / interval), 1)
        self.init(packets: groups * group, interval: .nanoseconds(interval), payload: payload, group: group)
    }

    /// The size of a frame over IPv4: 14 bytes of Ethernet header, the IP and UDP headers, and the payload.
    package var frameBytes: Int { frameBytes(isIPv6: false) }

    package func frameBytes(isIPv6: Bool) -> Int { payload + Self.headerBytes + (isIPv6 ? Self.extraIPv6 : 0) }

    /// When each packet is due, in nanoseconds after the first.
    package var sends: [Int64] { (0..<packets).map { Int64($0 / group) * interval.nanoseconds } }

    /// The time from the first packet to the last.
    package var duration: Duration { interval * ((packets - 1) / group) }
}
