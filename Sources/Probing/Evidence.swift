// SPDX-License-Identifier: Apache-2.0

/// The result of a probe, or of a route lookup, about a target.
public struct Evidence: Hashable, Sendable {
    /// What was shown.
    public enum Finding: Hashable, Sendable {
        /// The target answered as it should, after this time.
        case answered(Duration)
        /// It did not, for this reason.
        case failed(Reason)
        /// The kernel refuses to send to it: no probe has to confirm that.
        case impossible(Reason)
        /// Nothing is known, for a reason of the monitor's own.
        case nothing(Reason)
    }

    /// When the probe was sent, since some fixed moment.
    public let time: Duration
    /// What was shown.
    public let finding: Finding

    /// Makes evidence.
    public init(at time: Duration, _ finding: Finding) {
        self.time = time
        self.finding = finding
    }
}
