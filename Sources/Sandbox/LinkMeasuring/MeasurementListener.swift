// SPDX-License-Identifier: Apache-2.0

package import LinkConditioning
package import LinkVerification

/// What a caller is told while links are measured.
package struct MeasurementListener {
    /// Is called before phases are measured; `isAgain` if they are measured a second time.
    let started: (_ phases: [ProbePhase], _ isAgain: Bool) -> Void
    /// Is called several times a second meanwhile; nil for never.
    let progress: (() -> Void)?
    /// Is called after the phases, whether they could be measured or not.
    let ended: () -> Void
    /// Is called with what the user should know of the link.
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
