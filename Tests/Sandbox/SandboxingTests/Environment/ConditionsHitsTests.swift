// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import LinkProfiles
import Testing

@testable import PacketPump
@testable import Sandboxing

/// What conditions have met is told of each of their parts.
struct ConditionsHitsTests {
    private func profile(_ members: String) throws -> Profile {
        try Profile(utf8: "{\"name\": \"Test\", \(members)}".utf8)
    }

    private static let faults = """
        "faults": [{"match": {"after": "20 kB"}, "do": "reset"}, {"match": {"packet": "syn"}, "do": "lose"}]
        """

    private func reading(packets: UInt64, faults: [(UInt64, UInt64)] = [], steps: [UInt64] = []) -> CounterPage.Reading
    {
        var reading = CounterPage.Reading()
        reading.packets = packets
        for (index, (connections, packets)) in faults.enumerated() {
            (reading.faultConnections[index], reading.faults[index]) = (connections, packets)
        }
        for (index, packets) in steps.enumerated() { reading.scheduleSteps[index] = packets }
        return reading
    }

    private func parts(
        _ profile: Profile,
        by origin: ConditionsHits.Origin,
        _ readings: CounterPage.Reading...,
        path: String? = nil,
        seesAll: Bool = true
    ) -> [ConditionsPart] {
        var hits = ConditionsHits()
        let conditions = ConditionsHits.Conditions(origin: origin, path: path, profile: profile)
        for reading in readings { hits.add([reading], of: conditions, during: .seconds(2), seesAll: seesAll) }
        return hits.parts
    }

    @Test func addsUpEachTimeThatTheyWereInEffect() throws {
        let profile = try profile(Self.faults)
        let first = reading(packets: 3, faults: [(1, 0), (1, 2)])
        let second = reading(packets: 4, faults: [(1, 0), (1, 1)])
        let expected = [
            ConditionsPart("step 'cut' on wifi0", packets: 7, reason: nil),
            ConditionsPart(
                "fault 1 of step 'cut' on wifi0 (reset: after 20 kB)",
                packets: 0,
                reason: "no connection carried 20 kB"
            ),
            ConditionsPart("fault 2 of step 'cut' on wifi0 (lose: packet syn)", packets: 3, reason: nil),
        ]
        #expect(parts(profile, by: .step("cut", isRequestedInside: false), first, second, path: "wifi0") == expected)
    }

    @Test func tellsHowLongPacketsWaitedBehindOthers() {
        var (shared, alone) = (LaneCounters(), LaneCounters())
        (shared.arrived, alone.arrived) = (5, 100)
        (shared.sharedTime, shared.timeBehindOthers) = (1000, 620)
        let part = ConditionsPart(competitionOn: .uplink, [shared, alone])
        #expect(part?.name == "competing traffic of the uplink" && part?.packets == 5)
        #expect(part?.effect == "packets waited behind others: 62 % of the delay" && part?.missSentence == nil)
        #expect(ConditionsPart(competitionOn: .downlink, [alone]) == nil)
    }

    @Test func tellsOfTheStartItsFaultsAndItsScheduleOnly() throws {
        let schedule = #""schedule": {"steps": [{"at": "1 s", "uplink": {"loss": "100 %"}}, {"at": "5 s"}]}"#
        let found = parts(try profile(schedule), by: .start, reading(packets: 9, steps: [0, 0]))
        let expected = [
            ConditionsPart(
                "step 1 of the schedule (from 1 s on)",
                packets: 0,
                reason: "nothing was sent or received in it"
            ),
            ConditionsPart(
                "step 2 of the schedule (from 5 s on)",
                packets: 0,
                reason: "the profile was in effect for 2 s"
            ),
        ]
        #expect(found == expected)
        #expect(parts(try profile(#""uplink": {"delay": "1 s"}"#), by: .start, reading(packets: 0)).isEmpty)
    }

    /// What takes conditions off, as after a test, need not meet anything.
    @Test func tellsWhatAClientHasSet() throws {
        let found = parts(try profile(#""uplink": {"delay": "1 s"}"#), by: .client("python3 (7)"), reading(packets: 0))
        let reason = "nothing was sent or received in the 2 s of it"
        #expect(
            found == [
                ConditionsPart("\"Test\", set by python3 (7),", packets: 0, reason: reason, isRequestedInside: true)
            ]
        )
        let none = Profile(name: "Unconditioned")
        #expect(parts(none, by: .client(nil), reading(packets: 0)).isEmpty)
    }

    @Test func saysNothingWhereSomePacketsPassUnseen() throws {
        let found = parts(
            try profile(#""uplink": {"delay": "1 s"}"#),
            by: .step("slow", isRequestedInside: false),
            reading(packets: 0),
            seesAll: false
        )
        #expect(found.isEmpty)
    }

    /// A client that sets more makes no step of the run's own forgotten.
    @Test func remembersNoMoreOfAClientThanItsLimit() {
        var hits = ConditionsHits()
        func add(_ step: String, isRequestedInside: Bool) {
            let origin = ConditionsHits.Origin.step(step, isRequestedInside: isRequestedInside)
            let conditions = ConditionsHits.Conditions(origin: origin, profile: Profile(name: "Test"))
            hits.add([reading(packets: 0)], of: conditions, during: .zero, seesAll: true)
        }
        for number in 0..<2000 { add("\(number)", isRequestedInside: true) }
        #expect(hits.parts.count == 500)
        add("own", isRequestedInside: false)
        #expect(hits.parts.last?.name == "step 'own'" && hits.parts.last?.reason != nil)
    }
}
