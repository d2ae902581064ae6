// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
internal import Netlink

/// A process that writes down the packets which enter and leave lanes of the kernel.
package protocol LaneRecorder: Sendable {
    /// Its process ID.
    var process: Int32 { get }

    /// Tells what new lanes are to do, before they are made.
    func expect(_ lanes: LaneTimes)

    /// Ends the process.
    ///
    /// - Returns: why not all of the packets were written down; nil if they were.
    func finish() -> String?
}

/// How long lanes hold packets.
package struct LaneTimes: Hashable, Sendable {
    /// The delay that each kind of lane gives packets, besides queues and jitter.
    package var delays: [Lane: Duration] = [:]
    /// The longest time that a packet stays in one of them.
    package var longestStay = Duration.zero

    /// The times of the lanes that plans make.
    package init(_ plans: [Plan]) {
        for lane in plans.flatMap(\.expected).compactMap(\.lane) {
            let netems = [lane.path, lane.netem].compactMap { $0 }
            // The kernel counts nanoseconds in 64 bits, jitter in 32.
            let delay = netems.reduce(Duration.zero) { $0 + .nanoseconds($1.latency) }
            let jitter = netems.reduce(Duration.zero) { $0 + .nanoseconds($1.jitter) * 4 }
            delays[lane.kind] = delay
            longestStay = max(longestStay, lane.longestStay, delay + jitter)
        }
    }

    /// The times in nanoseconds, in the order that `init(nanoseconds:)` reads.
    package var nanoseconds: [Int64] {
        [longestStay.nanoseconds] + Lane.allCases.map { delays[$0]?.nanoseconds ?? -1 }
    }

    /// Reads times; nil if they are none.
    package init?(nanoseconds: [Int64]) {
        guard nanoseconds.count == 1 + Lane.allCases.count, nanoseconds[0] >= 0 else { return nil }
        longestStay = .nanoseconds(nanoseconds[0])
        for (lane, time) in zip(Lane.allCases, nanoseconds.dropFirst()) where time >= 0 {
            delays[lane] = .nanoseconds(time)
        }
    }
}
