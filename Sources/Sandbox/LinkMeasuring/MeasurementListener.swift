// SPDX-License-Identifier: Apache-2.0

package import LinkConditioning
package import LinkVerification

/// The calls to a caller during a measurement.
package struct MeasurementListener {
    /// Called before phases are measured; `isAgain` if they are measured a second time.
    let started: (_ phases: [ProbePhase], _ isAgain: Bool) -> Void
    /// Called several times a second during the measurement; nil for never.
    let progress: (() -> Void)?
    /// Called after the phases, whether they could be measured or not.
    let ended: () -> Void
    /// Called with what the user should know of the link.
    let note: (ConditioningNote) -> Void

    package init(
        started: @escaping (_ phases: [ProbePhase], _ isAgain: Bool) -> Void,
        progress: (() -> Void)?,
        ended: @escaping () -> Void,
        note: @escaping (ConditioningNote) -> Void
    ) {
        (self.started, self.progress, self.ended, self.note) = (started, progress, ended, note)
    }
}
