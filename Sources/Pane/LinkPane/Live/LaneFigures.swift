// SPDX-License-Identifier: Apache-2.0

package import LinkConditioning

/// The asked and the measured figures of all lanes. Used on one thread.
package protocol LaneFigures: AnyObject {
    /// Takes over which lanes there are, and what was asked of them.
    func use(_ report: StatusReport)

    /// Reads the counters of all lanes; `now` is a time of `BootClock`.
    func sample(at now: Duration)

    /// The lanes of a rule as `GET /v1/live` lists them, the text of a JSON array; nil for an unknown rule.
    func lanes(interface: String, rule: Int) -> String?

    /// The warnings about a rule that the counters give a reason for: its pump is gone.
    func warnings(interface: String, rule: Int) -> [String]
}
