// SPDX-License-Identifier: Apache-2.0

/// Where the time of a lane's packets went, on a link that others use too: sums over all packets, in seconds.
public struct Competition: Hashable, Sendable {
    /// Of no packets.
    public static let none = Competition()

    /// The time from arrival to the last bit on the link: delay and jitter, waiting, sending.
    public internal(set) var delay = 0.0
    /// The time in the queue of the bottleneck.
    public internal(set) var waited = 0.0
    /// The time in the queue while the bottleneck sent packets of competing traffic.
    public internal(set) var behindOthers = 0.0

    /// The share of the delay spent waiting behind competing traffic, in percent; nil without delay.
    public var percentBehindOthers: Int? { delay > 0 ? Int((min(behindOthers / delay, 1) * 100).rounded()) : nil }

    /// Adds a time that `count` packets wait in the queue while the bottleneck sends another one.
    mutating func addWaiting(_ nanoseconds: Int64, of count: Int, behindOthers isBehindOthers: Bool) {
        let time = Double(nanoseconds) * Double(count) / 1e9
        delay += time
        waited += time
        if isBehindOthers { behindOthers += time }
    }

    /// Adds a time that a packet is delayed, or sent.
    mutating func addDelay(_ nanoseconds: Int64) { delay += Double(nanoseconds) / 1e9 }
}
