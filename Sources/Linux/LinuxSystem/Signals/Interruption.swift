// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// The user's request to interrupt work: SIGINT, SIGTERM, SIGHUP or SIGQUIT.
package enum Interruption {
    /// From now on, the first of these signals is only recorded; a second one ends this process at once. Signals that
    /// this process ignores stay ignored.
    package static func note() { lc_note_interruption() }

    /// The recorded signal; nil if there is none yet.
    package static var signal: CInt? {
        let number = lc_interruption()
        return number == 0 ? nil : number
    }
}
