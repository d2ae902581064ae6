// SPDX-License-Identifier: Apache-2.0

import Reachability
import Testing

/// Watching with a handler, for code without asynchronous functions.
@Suite(.timeLimit(.minutes(10))) struct HandlerExample {
    private let service = LoopbackService()

    @Test func callsAHandler() async {
        let monitor = ReachabilityMonitor()
        let (reachable, found) = AsyncStream.makeStream(of: Target.self)
        monitor.setHandler { event in
            if let status = event.status, status.isReachable { found.yield(status.target) }
        }
        // A handler receives the events of all watched targets; to ask for a status has the target probed.
        _ = monitor.status(of: service.target)
        #expect(await reachable.first { _ in true } == service.target)
        monitor.setHandler(nil)
    }

    @Test func callsAHandlerForLinks() async throws {
        let watcher = try LocalWatcher()
        let (names, found) = AsyncStream.makeStream(of: [String].self)
        let cancel = watcher.observe { update in found.yield(update.state.links.map(\.name)) }
        #expect(await names.first { _ in true }?.contains("lo") == true)
        cancel()
        watcher.stop()
    }
}
