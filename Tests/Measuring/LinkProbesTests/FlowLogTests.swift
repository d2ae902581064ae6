// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkVerification
import TestKit
import Testing

@testable import LinkProbes

@Suite struct FlowLogTests {
    @Test(arguments: 1...50) func isReadAsItWasWrittenInParts(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var log = FlowLog(limit: 1_000)
        var time: Int64 = 1_700_000_000_000_000_000
        for number in 0..<1_200 {
            time += Int64.random(in: -1_000...20_000_000, using: &random)
            log.add(random.isOne(in: 10) ? Int.random(in: 0..<400_000, using: &random) : number, time)
        }
        #expect(log.entries.count == 1_000)
        var read: [FlowLog.Entry] = []
        while read.count < 1_000 {
            let part = log.encoded(from: read.count, length: Int.random(in: 20...1_408, using: &random))
            try #require(part.count > 0)
            read += try #require(FlowLog.decoded(part.bytes, count: part.count))
        }
        #expect(read == log.entries)
    }

    @Test func takesFewBytes() {
        var log = FlowLog(limit: 400)
        for number in 0..<400 { log.add(number, 1_700_000_000_000_000_000 + Int64(number) * 2_000_000) }
        #expect(log.encoded(from: 0, length: 10_000).bytes.count < 400 * 5 + 10)
        #expect(log.encoded(from: 400, length: 10_000).count == 0 && log.encoded(from: .max, length: 10).count == 0)
        #expect(log.encoded(from: .min, length: 10_000).count == 400)
    }

    @Test func refusesWhatIsCutOrNonsense() {
        var log = FlowLog(limit: 10)
        for number in 0..<10 { log.add(number * 3, .max - Int64(number)) }
        let whole = log.encoded(from: 0, length: 1_000)
        for length in whole.bytes.indices {
            #expect(FlowLog.decoded(Array(whole.bytes.prefix(length)), count: 10) == nil)
        }
        #expect(FlowLog.decoded([], count: -1) == nil && FlowLog.decoded([0, 0], count: .max) == nil)
        #expect(FlowLog.decoded([UInt8](repeating: 255, count: 40), count: 2) == nil)
        var inputs = FuzzedInputs([whole.bytes], seed: 1)
        for _ in 0..<FuzzedInputs.count { _ = FlowLog.decoded(inputs.next(), count: 10) }
    }

    @Test func asksNoMoreOfAMachineThanAPhaseNeeds() {
        let traffic = ProbeTraffic(packets: 100, interval: .milliseconds(2), payload: 100, group: 3)
        let request = PhaseRequest(arriving: 200, answer: traffic, pause: .milliseconds(100))
        #expect(PhaseRequest(request.encoded) == request)
        let silent = PhaseRequest(arriving: 200, answer: nil, pause: .zero)
        #expect(PhaseRequest(silent.encoded) == silent)
        #expect(PhaseRequest(Array(request.encoded.dropLast())) == nil)
        func isRefused(_ change: (inout PhaseRequest) -> Void) -> Bool {
            var other = request
            change(&other)
            return PhaseRequest(other.encoded) == nil
        }
        #expect(isRefused { $0.arriving = 400_001 })
        #expect(isRefused { $0.pause = .seconds(61) })
        let (packets, interval) = (100, Duration.milliseconds(2))
        #expect(isRefused { $0.answer = ProbeTraffic(packets: 400_001, interval: interval, payload: 100) })
        #expect(isRefused { $0.answer = ProbeTraffic(packets: packets, interval: .nanoseconds(999), payload: 100) })
        #expect(isRefused { $0.answer = ProbeTraffic(packets: packets, interval: .seconds(3_601), payload: 100) })
        #expect(isRefused { $0.answer = ProbeTraffic(packets: packets, interval: interval, payload: 63) })
        #expect(isRefused { $0.answer = ProbeTraffic(packets: packets, interval: interval, payload: 1_473) })
        #expect(isRefused { $0.answer = ProbeTraffic(packets: packets, interval: interval, payload: 64, group: 65) })
    }
}
