// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// The user's request to end work that can be cut short: SIGINT, SIGTERM, SIGHUP or SIGQUIT.
package enum Interruption {
    /// Lets the first of these signals only be noted from now on; a second one ends this process at once. Signals that this
    /// process ignores stay ignored.
    package static func note() { lc_note_interruption() }

    /// The signal that was noted; nil as long as there is none.
    package static var signal: CInt? {
        let number = lc_interruption()
        return number == 0 ? nil : number
    }
}
