// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How long a test waits for an event that has no time limit of its own. Only a hang takes as long: on a machine whose
/// processors are taken, a program that needs a second may get it within a minute.
package enum HangLimit {
    package static let seconds = 300
    package static let duration = Duration.seconds(seconds)

    /// Whether `condition` becomes true before the limit.
    package static func waits(until condition: () throws -> Bool) rethrows -> Bool {
        let deadline = ContinuousClock.now + duration
        while try !condition() {
            guard ContinuousClock.now < deadline else { return false }
            usleep(1000)
        }
        return true
    }
}
