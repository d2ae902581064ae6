// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinkProfiles

/// The conditions of one sandbox: one profile for its loopback and its uplink.
protocol Conditions: AnyObject {
    /// Puts `profile` in the place of the one in force, on every device.
    ///
    /// - Returns: what there is to wait for when the new conditions hold: lanes that drain.
    /// - Throws: what stands in the way; the conditions are as they were before.
    func change(to profile: Profile, seed: UInt64?) throws(ConditioningError) -> [Plan]

    /// Takes away what `plans` no longer want.
    func retire(_ plans: [Plan]) throws(ConditioningError)

    /// What holds and what it has done, the sandbox itself aside, and the name of the profile; nil where it is none.
    func report() throws(ConditioningError) -> (report: StatusReport, profile: String?)
}
