// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What ping(8) measured.
struct Ping {
    let sent: Int
    let received: Int
    /// Milliseconds; nil where nothing came back.
    let average: Double?
    let output: String

    /// Pings from a namespace.
    init(
        from namespace: String, to address: String, count: Int, interval: Double, payload: Int = 56, wait: Int = 5
    ) throws {
        let line =
            "ip netns exec \(namespace) ping -n -q -c \(count) -i \(interval) -s \(payload) -W \(wait) \(address) 2>&1"
        output = try Shell.run(line).output
        let counts = try output.firstNumbers(#"(\d+) packets transmitted, (\d+) received"#)
        sent = counts.first.map { Int($0) } ?? 0
        received = counts.count > 1 ? Int(counts[1]) : 0
        let times = try output.firstNumbers(#"= ([\d.]+)/([\d.]+)/([\d.]+)/"#)
        average = times.count > 1 ? times[1] : nil
    }
}

extension String {
    /// The numbers that the groups of the first match of `pattern` hold.
    func firstNumbers(_ pattern: String) throws -> [Double] {
        guard let match = try firstMatch(of: Regex(pattern)) else { return [] }
        return match.output.dropFirst().compactMap { $0.substring.flatMap { Double($0) } }
    }
}
