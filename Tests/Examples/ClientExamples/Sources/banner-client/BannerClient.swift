// SPDX-License-Identifier: Apache-2.0

import Foundation
import Reachability

/// banner-client HOST:PORT: shows and hides a banner, until it is ended. Prints the time of each change.
@main
struct BannerClient {
    static func main() async {
        guard CommandLine.arguments.count == 2, let target = try? Target("tcp://\(CommandLine.arguments[1])") else {
            print("usage: banner-client HOST:PORT")
            exit(64)
        }
        var policy = Policy()
        // Damping keeps reports short where a link changes often. A banner has to be right each time.
        policy.flapSuppress = .infinity
        let monitor = ReachabilityMonitor(policy: policy)
        var banner = OfflineBanner()
        show("hidden")
        for await event in monitor.events(of: [target]) {
            guard let status = event.status, banner.update(status.state) else { continue }
            show(banner.isShown ? "shown: \(status.reason.map { "\($0)" } ?? "\(status.state)")" : "hidden")
        }
    }

    private static func show(_ words: String) {
        print(Date.now.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true)), words)
        // Who reads it through a pipe wants to see it now.
        fflush(nil)
    }
}
