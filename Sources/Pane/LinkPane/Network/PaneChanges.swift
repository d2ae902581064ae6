// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Tells the thread that reads the network that a command of the page has changed it.
package final class PaneChanges: Sendable {
    private let hasChanged = Atomic<Bool>(false)

    package init() {}

    package func note() { hasChanged.store(true, ordering: .releasing) }

    /// Whether something was noted since the last call.
    func take() -> Bool { hasChanged.exchange(false, ordering: .acquiringAndReleasing) }
}
