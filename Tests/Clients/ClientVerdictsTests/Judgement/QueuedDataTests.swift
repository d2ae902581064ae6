// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ClientTraffic
@testable import ClientVerdicts

/// What a verdict says of data that was on its way when a step began.
@Suite struct QueuedDataTests {
    /// A connection whose server had sent all by 1900 ms, and whose last data came at `last`.
    private static func run(last: Int, closed: Int?) throws -> JudgedRun {
        var run = JudgedRun()
        let index = try run.connect(at: 0, answers: [500], closed: closed)
        for (sent, delivered) in [(1_000, 1_990), (1_500, (2_000 + last) / 2), (1_900, last)] {
            let packet = run.packet(sent)
            run.traffic.connections[index].answers.append(
                ObservedPacket(number: packet.number, sent: packet.sent, delivered: JudgedRun.at(delivered))
            )
        }
        run.label("gone", 2_000, 9_000)
        return run
    }

    @Test(arguments: [
        (6_200, 8_000, "times out within 5 s of 'gone'"), (6_200, 8_900, "times out within 2 s of 'gone'"),
        (6_200, nil, "times out within 5 s of 'gone'"), (6_200, nil, "recovers within 8 s of 'gone'"),
    ])
    func saysUntilWhenItCame(last: Int, closed: Int?, expectation: String) throws {
        let judgement = try Self.run(last: last, closed: closed).judge(expectation)
        #expect(
            judgement.finding.contains("; data queued before 'gone' still came until 4.2 s after it"),
            "\(judgement.finding)"
        )
    }

    /// What is in flight comes on any link.
    @Test(arguments: ["times out within 5 s of 'gone'", "recovers within 5 s of 'gone'", "closes within 5 s of 'gone'"])
    func saysNothingOfWhatWasInFlight(expectation: String) throws {
        let finding = try Self.run(last: 2_200, closed: 6_000).judge(expectation).finding
        #expect(!finding.contains("queued"), "\(finding)")
    }
}
