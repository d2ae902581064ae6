// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import Sandboxing

@Suite struct ScenarioProgressTests {
    private func progress(_ triggers: Trigger..., repeat passes: Int = 1) -> ScenarioProgress {
        let labels = ["a", "b", "c", "d", "e", "f", "g"]
        return ScenarioProgress(zip(labels, triggers).map { (label: $0, trigger: $1) }, repeat: passes)
    }

    private func arrivals(
        _ time: Duration = .zero,
        bytes: UInt64 = 0,
        connections: UInt64 = 0
    ) -> ScenarioProgress.Arrivals {
        ScenarioProgress.Arrivals(time: time, bytes: ByteCount(bytes: bytes), connections: connections)
    }

    @Test func runsItsStepsInTheirOrder() {
        var progress = progress(.time(.seconds(1)), .mark("m"))
        #expect(progress.trigger == .time(.seconds(1)))
        progress.advance()
        #expect(progress.trigger == .mark("m"))
        progress.advance()
        #expect(progress.trigger == nil)
        #expect(progress.missed.isEmpty)
    }

    @Test func saysWhichStepIsInEffectAndWhichComesNext() {
        var progress = progress(.time(.seconds(1)), .mark("m"), repeat: 2)
        var seen: [[String?]] = []
        for _ in 0..<5 {
            seen.append([progress.current, progress.upcoming])
            progress.advance()
        }
        #expect(seen == [[nil, "a"], ["a", "b"], ["b", "a"], ["a", "b"], ["b", nil]])
    }

    @Test func repeatsItsSteps() {
        var progress = progress(.time(.seconds(1)), .mark("m"), repeat: 3)
        var triggers: [Trigger] = []
        while let trigger = progress.trigger {
            triggers.append(trigger)
            progress.advance()
        }
        #expect(triggers == [.time(.seconds(1)), .mark("m"), .time(.seconds(1)), .mark("m")] + triggers.suffix(2))
        #expect(triggers.count == 6)
    }

    @Test func waitsForItsOwnTriggerOnly() {
        let everything = arrivals(.seconds(3600), bytes: 1 << 40, connections: 1000)
        #expect(!progress(.time(.seconds(2))).isMet(by: arrivals(.milliseconds(1999), bytes: 1 << 40, connections: 9)))
        #expect(progress(.time(.seconds(2))).isMet(by: arrivals(.seconds(2))))
        #expect(!progress(.bytes(ByteCount(bytes: 10))).isMet(by: arrivals(.seconds(99), bytes: 9, connections: 99)))
        #expect(progress(.bytes(ByteCount(bytes: 10))).isMet(by: arrivals(bytes: 10)))
        #expect(!progress(.connections(2)).isMet(by: arrivals(.seconds(99), bytes: 99, connections: 1)))
        #expect(progress(.connections(2)).isMet(by: arrivals(connections: 2)))
        #expect(!progress(.mark("m")).isMet(by: everything))
        #expect(!progress().isMet(by: everything))
    }

    @Test func saysWhatNeverBegan() {
        let bytes = Trigger.bytes(ByteCount(bytes: 10_000))
        #expect(
            progress(bytes).note(arrivals(bytes: 3200))
                == "step 'a' never began: it waited for 10 kB, 3.2 kB came"
        )
        #expect(
            progress(.connections(2), .mark("m")).note(arrivals(connections: 1))
                == "step 'a' never began: it waited for 2 connections, 1 came; nor did 'b' after it"
        )
        #expect(
            progress(.mark("cancelled"), repeat: 3).note(arrivals())
                == "step 'a' never began in run 1 of 3: it waited for mark 'cancelled', which did not come"
        )
        #expect(
            progress(.time(.seconds(20))).note(arrivals(.microseconds(3_400_567)))
                == "step 'a' never began: it waited for 20 s, 3.4 s passed"
        )
        let many = progress(bytes, bytes, bytes, bytes, bytes, bytes, bytes)
        #expect(many.note(arrivals())?.hasSuffix("0 bytes came; nor did the 6 steps after it") == true)
        #expect(progress().note(arrivals()) == nil)
    }

    @Test func missesTheStepsOfItsRunThatAreLeft() {
        var progress = progress(.mark("m"), .time(.seconds(1)), .connections(1), repeat: 2)
        progress.advance()
        #expect(progress.missed.map(\.label) == ["b", "c"])
        for _ in 0..<2 { progress.advance() }
        #expect(progress.missed.map(\.label) == ["a", "b", "c"])
        for _ in 0..<3 { progress.advance() }
        #expect(progress.missed.isEmpty)
        #expect(progress.note(arrivals()) == nil)
    }
}
