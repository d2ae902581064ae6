// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

/// The members of one direction as a profile spells them, and what they mean.
struct ImpairmentCase: CustomTestStringConvertible {
    let members: String
    let meaning: Impairments

    init(_ members: String, _ set: (inout Impairments) -> Void) {
        self.members = members
        var meaning = Impairments()
        set(&meaning)
        self.meaning = meaning
    }

    var testDescription: String { members }
}

@Suite struct ImpairmentKeyTests {
    private static let rates: [ImpairmentCase] = [
        .init(#""rate": "1.5 Mbit/s""#) { $0.rate = BitRate(bitsPerSecond: 1_500_000) },
        .init(#""trace": { "file": "a b/lte.down", "format": "mahimahi" }"#) {
            $0.trace = TraceReference(file: "a b/lte.down", format: .mahimahi)
        },
        .init(#""trace": { "file": "/x", "format": "seconds-mbit", "loop": false }"#) {
            $0.trace = TraceReference(file: "/x", format: .secondsMbit, loop: false)
        },
        .init(#""rate": "1 bit/s", "queue": "300 ms""#) {
            $0.rate = BitRate(bitsPerSecond: 1)
            $0.queue = .time(.milliseconds(300))
        },
        .init(#""rate": "1 bit/s", "overhead": { "packet": -20 }"#) {
            $0.rate = BitRate(bitsPerSecond: 1)
            $0.overhead = Overhead(packet: -20)
        },
        .init(#""rate": "1 bit/s", "overhead": { "packet": 24, "cell": 48, "cellOverhead": 5 }"#) {
            $0.rate = BitRate(bitsPerSecond: 1)
            $0.overhead = Overhead(packet: 24, cell: 48, cellOverhead: 5)
        },
    ]

    private static let delays: [ImpairmentCase] = [
        .init("") { _ in },
        .init(#""delay": "0 ms""#) { $0.delay = .zero },
        .init(#""delay": "250 us""#) { $0.delay = .microseconds(250) },
        .init(#""delay": "1 s", "jitter": "20 ms""#) {
            $0.delay = .seconds(1)
            $0.jitter = Jitter(amount: .milliseconds(20))
        },
        .init(#""delay": "1 s", "jitter": { "amount": "2 ms", "distribution": "pareto", "ordered": false }"#) {
            $0.delay = .seconds(1)
            $0.jitter = Jitter(amount: .milliseconds(2), distribution: .pareto, ordered: false)
        },
        .init(#""delay": "1 s", "jitter": { "amount": "2 ms", "ordered": false }"#) {
            $0.delay = .seconds(1)
            $0.jitter = Jitter(amount: .milliseconds(2), ordered: false)
        },
        .init(#""delay": "1 s", "reorder": { "probability": "5 %" }"#) {
            $0.delay = .seconds(1)
            $0.reorder = Reorder(probability: Probability(fraction: 0.05), gap: 1)
        },
        .init(#""delay": "1 s", "reorder": { "probability": "25 %", "gap": 5 }"#) {
            $0.delay = .seconds(1)
            $0.reorder = Reorder(probability: Probability(fraction: 0.25), gap: 5)
        },
    ]

    private static let losses: [ImpairmentCase] = [
        .init(#""loss": "10 %""#) { $0.loss = .random(Probability(fraction: 0.1)) },
        .init(#""loss": { "gilbertElliott": { "loss": "1 %", "burst": 3 } }"#) {
            $0.loss = GilbertElliott(loss: Probability(fraction: 0.01), burst: 3).map(LossModel.gilbertElliott)
        },
        .init(#""loss": { "gilbertElliott": { "p": "1 %", "r": "30 %" } }"#) {
            $0.loss = .gilbertElliott(GilbertElliott(p: Probability(fraction: 0.01), r: Probability(fraction: 0.3)))
        },
        .init(#""loss": { "gilbertElliott": { "p": "1 %", "r": "2 %", "lossInBad": "3 %", "lossInGood": "4 %" } }"#) {
            $0.loss = .gilbertElliott(
                GilbertElliott(
                    p: Probability(fraction: 0.01),
                    r: Probability(fraction: 0.02),
                    lossInBad: Probability(fraction: 0.03),
                    lossInGood: Probability(fraction: 0.04)
                )
            )
        },
        .init(#""loss": { "fourState": { "p13": "1 %" } }"#) {
            $0.loss = .fourState(FourState(p13: Probability(fraction: 0.01)))
        },
        .init(#""loss": { "fourState": { "p13": "1 %", "p31": "2 %", "p32": "3 %", "p23": "4 %", "p14": "5 %" } }"#) {
            $0.loss = .fourState(
                FourState(
                    p13: Probability(fraction: 0.01),
                    p31: Probability(fraction: 0.02),
                    p32: Probability(fraction: 0.03),
                    p23: Probability(fraction: 0.04),
                    p14: Probability(fraction: 0.05)
                )
            )
        },
        .init(#""loss": "0 %", "ecn": true"#) {
            $0.loss = .random(.zero)
            $0.ecn = true
        },
        .init(#""ecn": false"#) { $0.ecn = false },
        .init(#""duplicate": "0.5 %""#) { $0.duplicate = Probability(fraction: 0.005) },
        .init(#""corrupt": "0.01 %""#) { $0.corrupt = Probability(fraction: 0.0001) },
    ]

    private static let all = rates + delays + losses

    @Test(arguments: all)
    func meansWhatItSays(example: ImpairmentCase) throws {
        #expect(try Profile(members: "\"downlink\": { \(example.members) }").downlink == example.meaning)
        #expect(try Profile(members: "\"uplink\": { \(example.members) }").uplink == example.meaning)
    }

    @Test(arguments: all)
    func isReadBackAsItIsWritten(example: ImpairmentCase) throws {
        let profile = try Profile(members: "\"downlink\": { \(example.members) }")
        #expect(try profile.rereadFromText() == profile)
        #expect(try Profile(json: profile.json).downlink == example.meaning)
    }

    @Test(arguments: all)
    func holdsInAStepToo(example: ImpairmentCase) throws {
        let members = "\"schedule\": { \"steps\": [{ \"at\": \"1 s\", \"uplink\": { \(example.members) } }] }"
        let profile = try Profile(members: members)
        #expect(profile.schedule?.steps.first?.uplink == example.meaning)
        #expect(try profile.rereadFromText() == profile)
    }

    @Test func coversEveryKey() {
        // Competing traffic is not for steps, and has tests of its own.
        for key in NodeReader.impairmentKeys where key != "competing" {
            #expect(Self.all.contains { $0.members.contains("\"\(key)\"") }, "\(key)")
        }
    }
}
