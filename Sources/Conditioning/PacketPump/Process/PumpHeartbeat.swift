// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// Asks a pump from time to time whether it still carries packets. A process that was stopped, or whose control group
/// was frozen, keeps its TAP devices, so that its packets go nowhere.
package struct PumpHeartbeat {
    private let ask: () -> Bool
    private var lastAsked: Duration?
    private var silences = 0

    /// The interval of the questions. An answer may take two seconds.
    private static let interval = Duration.seconds(4)
    /// The number of questions in a row that it may leave unanswered: a machine may be too busy for one.
    static let silenceLimit = 3

    /// Watches the pump that `ask` asks; true for an answer, and for a pump that has ended.
    package init(ask: @escaping () -> Bool) {
        self.ask = ask
    }

    /// The time to wait, at `now`, until it is time to ask.
    package func pause(at now: Duration) -> Duration {
        lastAsked.map { max($0 + Self.interval - now, .zero) } ?? .zero
    }

    /// Asks if it is time, and returns whether the pump has stopped.
    package mutating func hasStopped(at now: Duration) -> Bool {
        guard pause(at: now) == .zero else { return false }
        lastAsked = now
        silences = ask() ? 0 : silences + 1
        return silences >= Self.silenceLimit
    }
}
