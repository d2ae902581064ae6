// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit

/// What ping(8) measured.
struct Ping {
    let sent: Int
    let received: Int
    /// The round trips in milliseconds.
    let times: [Double]
    /// Milliseconds; nil where nothing came back. A busy machine makes packets late and none early, so this one is
    /// nearest to what a link of constant delay does.
    var shortest: Double? { times.min() }
    let output: String

    /// Pings from a namespace.
    init(
        from namespace: String,
        to address: String,
        count: Int,
        interval: Double,
        payload: Int = 56,
        wait: Int = 30
    ) throws {
        let line =
            "ip netns exec \(namespace) ping -n -c \(count) -i \(interval) -s \(payload) -W \(wait) \(address) 2>&1"
        try self.init(reading: try Shell.run(line).output)
    }

    /// How many of 2500 echo requests were sent and answered. Four processes send them, of the smallest size: the
    /// lab's clock lets one process send a hundred a second at most.
    static func counts(from namespace: String, to address: String) throws -> (sent: Int, received: Int) {
        let pings = try sideBySide(Array(repeating: 625, count: 4)) {
            try Ping(from: namespace, to: address, count: $0, interval: 0.003, payload: 0, wait: 5)
        }
        return pings.reduce((0, 0)) { ($0.0 + $1.sent, $0.1 + $1.received) }
    }

    /// What is wrong with the shortest round trip: nil if it is in `range`.
    func fault(_ name: String, _ range: ClosedRange<Double>) throws -> String? {
        guard let shortest else { throw TestFailure("\(name): no answer: \(output)") }
        return try Measurements.fault(name, shortest, in: range)
    }

    /// Reads what ping printed.
    init(reading text: String) throws {
        output = text
        let counts = try output.firstNumbers(#"(\d+) packets transmitted, (\d+) received"#)
        sent = counts.first.map { Int($0) } ?? 0
        received = counts.count > 1 ? Int(counts[1]) : 0
        times = output.matches(of: #/time=([\d.]+) ms/#).compactMap { Double($0.output.1) }
    }
}

extension [Double] {
    /// The middle element by size; of two, the smaller.
    var median: Double? {
        isEmpty ? nil : sorted()[(count - 1) / 2]
    }
}

extension String {
    /// The numbers that the groups of the first match of `pattern` hold.
    func firstNumbers(_ pattern: String) throws -> [Double] {
        guard let match = try firstMatch(of: Regex(pattern)) else { return [] }
        return match.output.dropFirst().compactMap { $0.substring.flatMap { Double($0) } }
    }
}
