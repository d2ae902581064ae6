// SPDX-License-Identifier: Apache-2.0

import Exploration
import LinkProfiles
import TestKit
import Testing

/// From what goes wrong to the steps of a scenario.
@Suite struct TimelineTests {
    private let delay = {
        var figures = Impairments()
        figures.delay = .milliseconds(300)
        return Disturbance.Effect.figures(nil, figures)
    }()

    private func timeline(_ disturbances: Disturbance...) -> DisturbanceTimeline {
        DisturbanceTimeline(SimulatedClient.base, disturbances)
    }

    private func steps(_ timeline: DisturbanceTimeline) -> [String] {
        timeline.scenario(named: "Explored").steps.map { step in
            "\(step.label) after \(step.after): \(step.profile.name)" + step.changes.words.map { ", \($0)" }.joined()
        }
    }

    @Test func takesTheLinkDownAndUp() {
        let timeline = timeline(Disturbance(.linkDown, .linkDown, start: .seconds(2), length: .seconds(3)))
        #expect(steps(timeline) == ["link down after 2 s: Good, link down", "restored after 3 s: Good, link up"])
        #expect(timeline.words == ["at 2 s, for 3 s: link down", "at 5 s: as at the start ('restored')"])
    }

    @Test func needsNoStepForWhatHoldsFromTheStart() {
        let timeline = timeline(Disturbance(.delay, delay))
        #expect(steps(timeline).isEmpty && timeline.scenario(named: "Explored").profile.name == "delay")
        #expect(timeline.words == ["from the start: 300 ms delay, both ways"] && !timeline.isRestored)
    }

    @Test func isRestoredFromANewAddressOn() {
        let timeline = timeline(Disturbance(.newAddress, .newAddress, start: .seconds(1)))
        #expect(steps(timeline) == ["restored after 1 s: Good, new address"])
        #expect(timeline.words == ["at 1 s: new address"] && timeline.isRestored)
    }

    @Test func isRestoredWhenTheLastHasEnded() {
        let overlap = timeline(
            Disturbance(.linkDown, .linkDown, start: .seconds(2), length: .seconds(3)),
            Disturbance(.delay, delay, start: .seconds(1), length: .seconds(2)),
            Disturbance(.linkDown, .linkDown, start: .seconds(4), length: .seconds(3))
        )
        #expect(
            steps(overlap) == [
                "delay after 1 s: delay", "link down after 1 s: delay, link down", "end of delay after 1 s: Good",
                "link down 2 after 1 s: Good", "end of link down after 1 s: Good", "restored after 2 s: Good, link up",
            ]
        )
        let lasting = timeline(
            Disturbance(.delay, delay),
            Disturbance(.linkDown, .linkDown, start: .seconds(2), length: .seconds(3))
        )
        #expect(!lasting.isRestored && lasting.labels == ["link down", "end of link down"])
    }
}
