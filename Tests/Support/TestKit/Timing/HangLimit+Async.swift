// SPDX-License-Identifier: Apache-2.0

extension HangLimit {
    /// Whether `condition` becomes true before the limit and before the task is cancelled. Blocks no thread.
    package static func awaits(_ condition: () async throws -> Bool) async rethrows -> Bool {
        let deadline = ContinuousClock.now + duration
        while try await !condition() {
            guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return true
    }
}
