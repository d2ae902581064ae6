// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import TestKit

/// What link-probe wrote down.
struct ProbeFile {
    private(set) var records: [Direction: FlowRecord] = [:]
    /// How much later than usual the machine woke the probe for its packets, in milliseconds.
    let lateness: [Double]

    init(_ file: URL, _ uplink: Link.Traffic, _ downlink: Link.Traffic) throws {
        let data = try Data(contentsOf: file)
        var numbers = data.withUnsafeBytes { Array($0.bindMemory(to: Int64.self)) }[...]
        /// A count, and as many pairs.
        func pairs() -> [(Int64, Int64)] {
            let count = Int(numbers.popFirst() ?? 0)
            defer { numbers = numbers.dropFirst(2 * count) }
            let start = numbers.startIndex
            return (0..<count).map { (numbers[start + 2 * $0], numbers[start + 2 * $0 + 1]) }
        }
        var late: [Double] = []
        for (direction, traffic) in [(Direction.uplink, uplink), (.downlink, downlink)] {
            let sends = pairs()
            late += sends.map { Double($1 - $0) / 1e6 }
            records[direction] = FlowRecord(
                frameBytes: traffic.frameBytes,
                sends: sends.map(\.1),
                arrivals: pairs().map { .init(packet: Int($0), time: $1) }
            )
        }
        let usual = Statistics.median(late)
        lateness = late.map { max($0 - usual, 0) }
    }
}
