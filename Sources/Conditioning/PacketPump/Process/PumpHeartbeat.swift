// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// Asks a pump at intervals whether it still carries packets. A process that was stopped, or whose control group was
/// frozen, keeps its TAP devices, so that packets redirected to them are lost.
package struct PumpHeartbeat {
    private let ask: () -> Bool
    private var lastAsked: Duration?
    private var silences = 0

    /// The interval of the requests. A response may take two seconds.
    private static let interval = Duration.seconds(4)
    /// The number of requests in a row without a response that show a stopped pump: a busy machine may miss one.
    static let silenceLimit = 3

    /// Watches a pump. `ask` sends a request, and returns whether the pump has responded or ended.
    package init(ask: @escaping () -> Bool) {
        self.ask = ask
    }

    /// The time from `now` until the next request is due.
    package func pause(at now: Duration) -> Duration {
        lastAsked.map { max($0 + Self.interval - now, .zero) } ?? .zero
    }

    /// Sends a request if it is time, and returns whether the pump has stopped.
    package mutating func hasStopped(at now: Duration) -> Bool {
        guard pause(at: now) == .zero else { return false }
        lastAsked = now
        silences = ask() ? 0 : silences + 1
        return silences >= Self.silenceLimit
    }
}
