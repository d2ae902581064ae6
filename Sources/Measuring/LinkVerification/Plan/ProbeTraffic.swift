// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// One direction's datagrams.
package struct ProbeTraffic: Equatable, Sendable {
    package let packets: Int
    /// The time from one group to the next.
    package let interval: Duration
    /// Bytes after the UDP header.
    package let payload: Int
    /// How many are sent at once.
    package let group: Int

    package init(packets: Int, interval: Duration, payload: Int, group: Int = 1) {
        (self.packets, self.interval, self.payload, self.group) = (packets, interval, payload, group)
    }

    /// Sends `load` times a rate, for `time`.
    package init(filling rate: BitRate, _ load: Double, for time: Duration, payload: Int, group: Int = 1) {
        let bits = Double((payload + 42) * 8 * group)
        let interval = max(Int64(bits * 1e9 / (Double(rate.bitsPerSecond) * load)), 1)
        let groups = max(Int(time.nanoseconds / interval), 1)
        self.init(packets: groups * group, interval: .nanoseconds(interval), payload: payload, group: group)
    }

    /// An IPv4 and a UDP header and 14 bytes more.
    package var frameBytes: Int { frameBytes(isIPv6: false) }

    package func frameBytes(isIPv6: Bool) -> Int { payload + (isIPv6 ? 62 : 42) }

    /// When packets are sent that are never late, in nanoseconds.
    package var sends: [Int64] { (0..<packets).map { Int64($0 / group) * interval.nanoseconds } }

    /// The time from the first packet to the last.
    package var duration: Duration { interval * ((packets - 1) / group) }
}
