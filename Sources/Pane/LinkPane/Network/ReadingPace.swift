// SPDX-License-Identifier: Apache-2.0

/// Decides when the rules are read again. A reading that costs much, of many rules, is repeated less often: unless
/// something changes, a sixtieth of a processor is spent on readings at most. All times are of `BootClock`.
struct ReadingPace {
    /// The time between two readings if nothing changes, and while something does.
    private static let (quietInterval, busyInterval) = (Duration.milliseconds(500), Duration.milliseconds(200))
    /// The part of the time that readings take of a processor, if nothing changes and while something does.
    private static let (quietShare, busyShare) = (60, 4)

    private var hurries = true
    private var hasChanged = false
    private var afterChange = Duration.zero
    private var next = Duration.zero

    /// Makes a reading due at once: the user waits for the result of a change.
    mutating func hurry() { hurries = true }

    /// Makes a reading due soon: a change of others may have many parts.
    mutating func noteChange() { hasChanged = true }

    func isDue(at now: Duration) -> Bool { hurries || now >= next || hasChanged && now >= afterChange }

    /// - Parameter cost: the reading's time on a processor. By the clock, a busy machine would make each reading seem to
    ///   cost much, and the page late.
    mutating func noteReading(at start: Duration, cost: Duration) {
        (hurries, hasChanged) = (false, false)
        afterChange = start + max(Self.busyInterval, cost * Self.busyShare)
        next = start + max(Self.quietInterval, cost * Self.quietShare)
    }
}
