// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct FigureListTests {
    @Test(arguments: [
        ("rate=1 Mbit/s", #"{ "rate": "1 Mbit/s" }"#),
        ("rate=1 Mbit/s,delay=50 ms", #"{ "rate": "1 Mbit/s", "delay": "50 ms" }"#),
        (" rate = 1 Mbit/s , delay=50ms ", #"{ "rate": "1 Mbit/s", "delay": "50ms" }"#),
        ("ecn=true,loss=5 %", #"{ "ecn": true, "loss": "5 %" }"#), ("ecn=false", #"{ "ecn": false }"#),
        ("seed=1", #"{ "seed": "1" }"#), ("a=b=c", #"{ "a": "b=c" }"#),
    ])
    func readsKeysAndValues(text: String, line: String) throws {
        #expect(try FigureList.json(text).line == line)
    }

    @Test(arguments: [
        ("", "\"\" is not KEY=VALUE"), ("rate", "\"rate\" is not KEY=VALUE"), ("rate=", "\"rate=\" is not KEY=VALUE"),
        ("=1", "\"=1\" is not KEY=VALUE"), ("rate=1 bit/s,", "\"\" is not KEY=VALUE"),
        ("rate=1,5 Mbit/s", "\"5 Mbit/s\" is not KEY=VALUE"), ("delay=1 ms,delay=2 ms", "\"delay\" is given twice"),
        ("delay=1 ms, delay =2 ms", "\"delay\" is given twice"),
    ])
    func refusesWhatIsNoList(text: String, problem: String) {
        #expect {
            try FigureList.json(text)
        } throws: { error in
            (error as? InvalidProfile)?.issues.map(\.problem) == [problem]
        }
    }

    @Test func repeatsOnlyAsMuchOfAFigureAsALineBears() {
        #expect {
            try FigureList.json(String(repeating: "x", count: 1000))
        } throws: { error in
            (error as? InvalidProfile)?.issues.first.map { $0.withoutPosition.count < 200 } == true
        }
    }

    @Test func givesMembersThatAProfileReads() throws {
        let figures = try FigureList.json("rate=1 Mbit/s,delay=50 ms,jitter=5 ms,queue=64 kB,loss=1 %,ecn=true")
        let profile = try Profile(json: JSON(("name", "Test"), ("downlink", figures)))
        #expect(
            profile.downlink?.json.line == """
                { "rate": "1 Mbit/s", "delay": "50 ms", "jitter": "5 ms", "loss": "1 %", "queue": "64 kB", "ecn": true }
                """
        )
    }
}
