// SPDX-License-Identifier: Apache-2.0

// watch STYLE TARGET: prints "reachable" or "unreachable" once the target's state is known, in one of the styles in
// which programs ask for it: stream, handler, shared or query.

import Glibc
import Reachability

func state(_ status: Status?) -> String { status?.isReachable == true ? "reachable" : "unreachable" }

/// Whether a monitor has made up its mind.
func isKnown(_ status: Status?) -> Bool { status.map { $0.state != .unknown } ?? false }

let arguments = CommandLine.arguments.dropFirst()
guard let style = arguments.first, let text = arguments.dropFirst().first, let target = try? Target(text) else {
    print("usage: watch stream|handler|shared|query TARGET")
    exit(64)
}

switch style {
case "stream":
    let monitor = ReachabilityMonitor()
    for await event in monitor.events(of: [target]) where isKnown(event.status) {
        print(state(event.status))
        break
    }
case "shared":
    for await event in ReachabilityMonitor.shared.events(of: [target]) where isKnown(event.status) {
        print(state(event.status), state(ReachabilityMonitor.shared.status(of: target)))
        break
    }
case "handler":
    let monitor = ReachabilityMonitor()
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        monitor.setHandler { event in
            guard isKnown(event.status) else { return }
            monitor.setHandler(nil)
            print(state(event.status))
            continuation.resume()
        }
        Task { _ = await monitor.firstStatus(of: target, within: .seconds(20)) }
    }
case "query":
    print(state(await ReachabilityMonitor().firstStatus(of: target, within: .seconds(20))))
default:
    print("there is no style \(style)")
    exit(64)
}
