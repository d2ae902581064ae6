// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Probing
@testable import Reachability

@Suite struct ChangeReporterTests {
    private static func verdict(_ state: PathVerdict.State, _ reason: Reason? = nil, _ generation: Int = 0)
        -> PathVerdict
    {
        PathVerdict(state: state, reason: reason, since: .zero, generation: generation, isFlapping: false)
    }

    private static let up = verdict(.reachable)
    private static let down = verdict(.unreachable, .blackHole)

    /// One that was told of so many changes between up and down, a second apart, up first.
    private static func after(_ flips: Int) -> (ChangeReporter, [ChangeReporter.Change]) {
        var changeReporter = ChangeReporter(Policy(), verdict(.unknown))
        var changes: [ChangeReporter.Change] = []
        for flip in 0...flips {
            if let change = changeReporter.update(flip.isMultiple(of: 2) ? up : down, at: .seconds(flip)) {
                changes.append(change)
            }
        }
        return (changeReporter, changes)
    }

    @Test func tellsEachChangeOnce() {
        var changeReporter = ChangeReporter(Policy(), Self.verdict(.unknown))
        let unchanged = changeReporter.update(Self.verdict(.unknown), at: .zero)
        #expect(unchanged == nil)
        let rise = changeReporter.update(Self.up, at: .zero)
        #expect(rise == ChangeReporter.Change(from: Self.verdict(.unknown), to: Self.up))
        let again = changeReporter.update(Self.up, at: .seconds(1))
        #expect(again == nil)
        let renumbered = changeReporter.update(Self.verdict(.reachable, nil, 7), at: .seconds(1))
        #expect(renumbered == nil)
        let fall = changeReporter.update(Self.down, at: .seconds(2))
        #expect(fall?.to == Self.down)
        let refused = Self.verdict(.unreachable, .refused)
        let other = changeReporter.update(refused, at: .seconds(3))
        #expect(other == ChangeReporter.Change(from: Self.down, to: refused))
        #expect(changeReporter.due == nil)
    }

    @Test func holdsBackWhatFlapsAndTellsTheEndByItself() throws {
        // Two flips stay below 2500, the third is above.
        let (_, before) = Self.after(2)
        #expect(before.allSatisfy { !$0.to.isFlapping })
        var (changeReporter, changes) = Self.after(9)
        #expect(changes.filter(\.to.isFlapping).count == 1)
        #expect(changes.count == 4)
        #expect(changes.last?.to.isFlapping == true)
        let due = try #require(changeReporter.due)
        let early = changeReporter.update(Self.down, at: due - .seconds(1))
        #expect(early == nil)
        let last = changeReporter.update(Self.down, at: due)
        let end = try #require(last)
        #expect(!end.to.isFlapping)
        #expect(end.to.state == .unreachable)
        #expect(changeReporter.due == nil)
    }

    @Test func tellsOfAFlappingTargetHowItEndedUp() throws {
        var (changeReporter, changes) = Self.after(10)
        let due = try #require(changeReporter.due)
        let last = changeReporter.update(Self.up, at: due)
        let end = try #require(last)
        #expect(end.from == changes.last?.to)
        #expect(end.to.state == .reachable)
    }

    /// Changes of reason, and between well and degraded, are no flaps; nor is the way by the unknown.
    @Test func countsOnlyChangesBetweenUpAndDown() {
        var changeReporter = ChangeReporter(Policy(), Self.up)
        for step in 0..<50 {
            _ = changeReporter.update(Self.verdict(.degraded, .latency), at: .milliseconds(step))
            _ = changeReporter.update(Self.up, at: .milliseconds(step))
        }
        #expect(!changeReporter.reported.isFlapping)
        var other = ChangeReporter(Policy(), Self.down)
        for step in 0..<50 {
            _ = other.update(Self.verdict(.unreachable, .refused), at: .milliseconds(step))
            _ = other.update(Self.verdict(.captive, .portalContent), at: .milliseconds(step))
        }
        #expect(!other.reported.isFlapping)
    }
}

@Suite struct FlapDampingTests {
    @Test func doesNotSuppressWhatChangesSeldom() {
        var damping = FlapDamping(Policy())
        for change in 0..<100 { damping.change(at: .seconds(60 * change)) }
        #expect(!damping.isSuppressing)
        #expect(damping.end == nil)
    }

    @Test(arguments: [3, 4, 10, 1000])
    func endsWhenItSays(changes: Int) throws {
        var damping = FlapDamping(Policy())
        for change in 0..<changes { damping.change(at: .milliseconds(change)) }
        let end = try #require(damping.end)
        var early = damping
        early.decay(to: end - .milliseconds(10))
        #expect(early.isSuppressing)
        damping.decay(to: end)
        #expect(!damping.isSuppressing)
        #expect(damping.end == nil)
    }

    @Test func keepsItsWordHoweverOftenTimePasses() throws {
        var damping = FlapDamping(Policy())
        for _ in 0..<5 { damping.change(at: .seconds(1)) }
        let end = try #require(damping.end)
        for step in 1..<600 where .milliseconds(step * 100) < end {
            damping.decay(to: .milliseconds(step * 100))
            let now = try #require(damping.end)
            #expect(now >= end - .microseconds(1) && now <= end + .microseconds(1))
        }
        damping.decay(to: end + .microseconds(1))
        #expect(!damping.isSuppressing)
    }

    @Test func suppressesChangesForFourHalfLivesAtMost() throws {
        let policy = Policy()
        var damping = FlapDamping(policy)
        for _ in 0..<100_000 { damping.change(at: .seconds(5)) }
        #expect(try #require(damping.end) <= .seconds(5) + policy.flapHalfLife * 4 + .milliseconds(2))
    }
}
