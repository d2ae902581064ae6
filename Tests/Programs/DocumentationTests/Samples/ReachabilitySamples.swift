// SPDX-License-Identifier: Apache-2.0

// The code that the documentation shows of Reachability; see ConditioningSamples.swift.

// begin stream
import Reachability

/// Prints each change of a target. The first event says how the target stands.
func watch(_ text: String) async throws {
    for await event in ReachabilityMonitor.shared.events(of: [try Target(text)]) {
        guard let status = event.status else { continue }
        print(status.target, status.state, status.reason.map { "\($0)" } ?? "")
    }
}
// end stream

// begin handler
/// Calls a closure with each event of all watched targets, until the handler is set to nil.
func handleEvents(of monitor: ReachabilityMonitor) {
    monitor.setHandler { event in
        if let status = event.status, !status.isReachable { print("\(status.target) is unreachable") }
    }
}
// end handler

// begin query
/// Asks once, and waits up to three seconds for the first evidence.
func isReachable(_ text: String) async throws -> Bool {
    let target = try Target(text)
    return await ReachabilityMonitor.shared.firstStatus(of: target, within: .seconds(3)).isReachable
}
// end query

// begin classic
/// Asks the questions that the classic reachability libraries answer, without waiting.
func describeRoute(to text: String) throws -> String {
    let classic = ReachabilityMonitor.shared.status(of: try Target(text)).classic
    if !classic.isReachable { return "unreachable" }
    return classic.isReachableViaWiFi ? "reachable over Wi-Fi" : "reachable"
}
// end classic
