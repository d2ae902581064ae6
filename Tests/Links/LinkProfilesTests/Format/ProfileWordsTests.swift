// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct ProfileWordsTests {
    private func words(_ members: String) throws -> [String] {
        try #require(try Profile(members: "\"downlink\": { \(members) }").downlink).words
    }

    @Test func saysNothingWhereNothingHappens() {
        #expect(Impairments().words.isEmpty)
    }

    @Test func followsThePacket() throws {
        let words = try words(
            #"""
            "rate": "1 Mbit/s", "delay": "100 ms", "jitter": "5 ms", "loss": "1 %", "duplicate": "2 %",
            "corrupt": "3 %", "reorder": { "probability": "4 %", "gap": 5 }, "queue": "50 packets",
            "overhead": { "packet": 24 }, "ecn": true
            """#
        )
        #expect(
            words == [
                "1 % lost", "marked instead of lost where the packet allows it", "2 % duplicated", "3 % corrupted",
                "100 ms delay", "± 5 ms jitter", "4 % of every 5th packet overtaking", "1 Mbit/s",
                "queue of 50 packets", "24 bytes of overhead a packet",
            ]
        )
    }

    @Test(arguments: [
        (#""loss": { "gilbertElliott": { "loss": "1 %", "burst": 3 } }"#, "1 % lost in bursts of 3 packets"),
        (#""loss": { "gilbertElliott": { "loss": "1 %", "burst": 2.5 } }"#, "1 % lost in bursts of 2.5 packets"),
        (
            #""loss": { "gilbertElliott": { "p": "1 %", "r": "33 %" } }"#,
            "2.94 % lost in bursts (p 1 %, r 33 %, 100 % in bad, 0 % in good)"
        ),
        (
            #""loss": { "fourState": { "p13": "1 %" } }"#,
            "1 % lost by four states (p13 1 %, p31 99 %, p32 0 %, p23 100 %, p14 0 %)"
        ),
        (#""loss": { "random": "30 %", "longestBurst": 3 }"#, "30 % lost, at most 3 in a row"),
        (#""corrupt": { "random": "2 %", "longestBurst": 3 }"#, "2 % corrupted, at most 3 in a row"),
        (#""trace": { "file": "a", "format": "mahimahi" }"#, "rate from a, repeated"),
        (#""trace": { "file": "a", "format": "mahimahi", "loop": false }"#, "rate from a"),
    ])
    func namesTheModel(members: String, expected: String) throws {
        #expect(try words(members) == [expected])
    }

    @Test func namesTheShapeOfJitterWhereItIsNotUniform() throws {
        let jitter = #""jitter": { "amount": "5 ms", "distribution": "pareto", "ordered": false }"#
        #expect(try words("\"delay\": \"1 ms\", \(jitter)").last == "± 5 ms jitter, pareto, packets may overtake")
    }

    @Test func callsARateOfZeroAHold() {
        var hold = Impairments()
        hold.rate = BitRate(bitsPerSecond: 0)
        #expect(hold.words == ["held back"])
    }
}
