// SPDX-License-Identifier: Apache-2.0

import Reachability
import Testing

/// Watching with an asynchronous sequence. Each iteration is a subscription that ends with its task.
@Suite(.timeLimit(.minutes(10))) struct StreamExample {
    private let service = LoopbackService()

    @Test func watchesATarget() async {
        let monitor = ReachabilityMonitor()
        var states: [PathVerdict.State] = []
        for await event in monitor.events(of: [service.target]) {
            guard let status = event.status else { continue }
            states.append(status.state)
            if status.isReachable { break }
        }
        // The first event reports the status at the time of the subscription.
        #expect(states.first == .unknown)
        #expect(states.last == .reachable)
    }

    @Test func watchesForTheTimeOfAScope() async {
        let monitor = ReachabilityMonitor()
        let answered = await monitor.withEvents(of: [service.target]) { events in
            for await event in events where event.status?.isReachable == true { return true }
            return false
        }
        #expect(answered)
    }

    /// Links, addresses and routes without probes.
    @Test func watchesLinks() async throws {
        let watcher = try LocalWatcher()
        for await update in watcher.updates() {
            #expect(update.state.link(named: "lo")?.linkClass == .loopback)
            #expect(update.events.isEmpty)
            break
        }
        watcher.stop()
    }
}
