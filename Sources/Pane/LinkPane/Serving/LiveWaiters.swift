// SPDX-License-Identifier: Apache-2.0

internal import SocketServing

/// The clients that wait for a newer live text. Used on the loop that serves them.
///
/// The text is renewed only while a client waits, one renewal after the other, and at most 10 times a second; if
/// renewals cost much, less often, so that they take a twelfth of a processor. Their time by the clock does not count: a
/// busy machine would make the page late, and not be less busy.
final class LiveWaiters {
    /// The longest time that a client waits.
    static let longestWait = Duration.seconds(1)
    /// The longest time that a client waits for the first text: a busy worker is said, too.
    static let longestStart = Duration.seconds(10)
    private static let pause = Duration.milliseconds(100)
    private static let longestPause = Duration.milliseconds(300)
    private static let share = 12

    private struct Waiter {
        let after: Int
        let reply: (LiveText.Version?) -> Void
        let expiry: LoopTimer
    }

    private let loop: EventLoop
    /// Starts a renewal, whose result is given to `renewed`.
    private let renew: () -> Void
    private var latest: LiveText.Version?
    private var waiters: [Int: Waiter] = [:]
    private var nextKey = 0
    private var start = ContinuousClock.now
    /// The mean cost of the last renewals: not each reads the rules.
    private var cost = Duration.zero
    /// The earliest time of the next renewal; nil while one goes on.
    private var nextRenewal: ContinuousClock.Instant? = .now
    private var timer: LoopTimer?

    init(on loop: EventLoop, renew: @escaping () -> Void) { (self.loop, self.renew) = (loop, renew) }

    /// Calls `reply` after a renewal whose text is newer than `number`, or after the longest wait with the latest text;
    /// nil if there is none yet. A client that asks again at once is answered at most 10 times a second, too.
    func wait(after number: Int, reply: @escaping (LiveText.Version?) -> Void) {
        // A number of another process is newer than all: its client gets the next text.
        let known = number <= latest?.number ?? 0 ? number : -1
        let key = nextKey
        nextKey += 1
        let limit = latest == nil ? Self.longestStart : Self.longestWait
        let expiry = loop.schedule(after: limit) { [weak self] in self?.expire(key) }
        waiters[key] = Waiter(after: known, reply: reply, expiry: expiry)
        scheduleRenewal()
    }

    /// Receives the result of a renewal.
    func renewed(_ version: LiveText.Version) {
        latest = version
        let now = ContinuousClock.now
        cost += (version.cost - cost) / 8
        let pause = min(max(Self.pause, cost * Self.share), Self.longestPause)
        nextRenewal = max(now, start + pause)
        for (key, waiter) in waiters where waiter.after < version.number {
            waiters[key] = nil
            waiter.expiry.cancel()
            waiter.reply(version)
        }
        if !waiters.isEmpty { scheduleRenewal() }
    }

    private func expire(_ key: Int) { waiters.removeValue(forKey: key)?.reply(latest) }

    private func scheduleRenewal() {
        guard let nextRenewal, timer == nil else { return }
        let now = ContinuousClock.now
        let due = max(nextRenewal, now)
        timer = loop.schedule(after: now.duration(to: due)) { [weak self] in
            guard let self else { return }
            timer = nil
            // All waiters may have expired meanwhile.
            guard !waiters.isEmpty else { return }
            self.nextRenewal = nil
            // A timer that fires late does not make the next renewal later, too.
            start = due
            renew()
        }
    }
}
