// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Whether a client did what was expected.
public enum Verdict: String, Hashable, Sendable, CaseIterable {
    /// The client did as expected.
    case pass
    /// The client did not do as expected.
    case fail
    /// Unknown: the link was not as asked, the machine was too busy, or the occasion for the expectation did not arise.
    case inconclusive
    /// Not judged.
    case skipped

    /// Whether the verdict makes the run a failure; with `strict`, an inconclusive verdict does, too.
    public func isFailure(strict: Bool) -> Bool { self == .fail || strict && self == .inconclusive }

    /// The worst of several verdicts: a failure, then inconclusive, then the rest.
    public static func worst(of verdicts: some Sequence<Verdict>) -> Verdict {
        let order: [Verdict] = [.skipped, .pass, .inconclusive, .fail]
        return verdicts.max { (order.firstIndex(of: $0) ?? 0) < (order.firstIndex(of: $1) ?? 0) } ?? .pass
    }
}

extension Verdict: JSONConvertible {}
