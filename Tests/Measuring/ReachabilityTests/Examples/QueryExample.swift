// SPDX-License-Identifier: Apache-2.0

import Reachability
import Testing

/// Asking without a subscription.
@Suite(.timeLimit(.minutes(10))) struct QueryExample {
    private let service = LoopbackService()

    @Test func asksOnce() async {
        let monitor = ReachabilityMonitor()
        // Returns at once; a target that was not asked about before is not known yet.
        #expect(monitor.status(of: service.target).state == .unknown)
        // Returns with the first verdict.
        let status = await monitor.firstStatus(of: service.target, within: .seconds(30))
        #expect(status.state == .reachable)
        #expect(monitor.status(of: service.target).state == .reachable)
    }

    /// In the terms of SCNetworkReachability and the classes built on it.
    @Test func answersInClassicTerms() async {
        let monitor = ReachabilityMonitor()
        let classic = await monitor.firstStatus(of: service.target, within: .seconds(30)).classic
        #expect(classic.isReachable)
        #expect(classic.isLocalOnly)
        #expect(!classic.isReachableViaWiFi)
    }
}
