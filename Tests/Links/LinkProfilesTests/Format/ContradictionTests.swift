// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct ContradictionTests {
    @Test(arguments: [
        (#""jitter": "5 ms""#, "$.downlink.jitter: jitter without a delay to vary; expected \"delay\" beside it"),
        (
            #""reorder": { "probability": "1 %" }"#,
            "$.downlink.reorder: reorder without a delay to skip; expected \"delay\" beside it"
        ),
        (#""queue": "1 s""#, "$.downlink.queue: a queue without a rate never fills; expected \"rate\" beside it"),
        (
            #""overhead": { "packet": 1 }"#,
            "$.downlink.overhead: overhead without a rate changes nothing; expected \"rate\" beside it"
        ),
        (
            #""ecn": true"#,
            "$.downlink.ecn: ecn without a loss model or a managed queue marks nothing; expected \"loss\" beside it, "
                + "or a discipline of \"queue\" that marks, such as \"fq_codel\""
        ),
        (
            #""rate": "1 bit/s", "trace": { "file": "x", "format": "mahimahi" }"#,
            "$.downlink.trace: rate and trace together: a link has one bottleneck; expected one of the two"
        ),
        (
            #""rate": "0 bit/s""#,
            "$.downlink.rate: a rate of zero never sends anything; expected a rate above zero, or \"loss\": \"100 %\""
        ),
    ])
    func refusesFiguresThatDoNothing(members: String, issue: String) {
        #expect(Profile.issues(members: "\"downlink\": { \(members) }") == [issue])
    }

    @Test(arguments: [
        #""queue": "1 s", "trace": { "file": "x", "format": "mahimahi" }"#, #""ecn": false"#,
        #""delay": "0 ms", "jitter": "5 ms""#, #""loss": { "fourState": { "p13": "0 %" } }, "ecn": true"#,
    ])
    func acceptsFiguresThatDoSomething(members: String) {
        #expect(Profile.issues(members: "\"downlink\": { \(members) }").isEmpty)
    }

    @Test(arguments: [
        #""delay": "soon", "jitter": "5 ms""#, #""rate": 32, "queue": "1 s""#, #""loss": "101 %", "ecn": true"#,
        #""trace": 1, "overhead": { "packet": 1 }"#,
    ])
    func takesAFigureThatIsWrongInItselfForPresent(members: String) {
        #expect(Profile.issues(members: "\"downlink\": { \(members) }").count == 1)
    }

    @Test func letsTheBaseWaitForARateOrALossOfAStep() {
        let step = #""schedule": { "steps": [{ "at": "1 s", "downlink": { "rate": "1 bit/s", "loss": "1 %" } }] }"#
        #expect(
            Profile.issues(
                members: #""downlink": { "queue": "1 s", "overhead": { "packet": 1 }, "ecn": true }, "# + step
            )
            .isEmpty
        )
    }

    @Test func doesNotLetTheOtherDirectionHelp() {
        let members = #""downlink": { "delay": "1 ms" }, "uplink": { "jitter": "5 ms" }"#
        #expect(Profile.issues(members: members).count == 1)
    }

    @Test func letsAStepRelyOnTheBase() {
        let step =
            #""schedule": { "steps": [{ "at": "0 s", "downlink": { "queue": "1 s", "jitter": "0 s", "ecn": true } }] }"#
        #expect(
            Profile.issues(members: #""downlink": { "rate": "1 bit/s", "delay": "1 ms", "loss": "1 %" }, "# + step)
                .isEmpty
        )
        #expect(Profile.issues(members: step).count == 3)
    }

    @Test func doesNotLetAStepRelyOnTheStepBefore() {
        let steps =
            #"{ "at": "1 s", "uplink": { "delay": "1 ms" } }, { "at": "2 s", "uplink": { "jitter": "5 ms" } }"#
        #expect(
            Profile.issues(members: "\"schedule\": { \"steps\": [\(steps)] }")
                == ["$.schedule.steps[1].uplink.jitter: jitter without a delay to vary; expected \"delay\" beside it"]
        )
    }
}
