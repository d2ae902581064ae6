// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PacketPump

/// The numbers of pipelines, which wrap around after 65535 of them.
@Suite struct PipelineNumberTests {
    @Test(arguments: [UInt16(0), 1, 65534, 65535])
    func isNeverThatOfALivingPipeline(last: UInt16) {
        let taken: Set<UInt16> = [1, 2, 4, .max]
        var number = last
        var seen: Set<UInt16> = []
        for _ in 0..<200_000 {
            number = RunningPipelines.number(after: number, isTaken: taken.contains)
            #expect(number > 0 && !taken.contains(number))
            seen.insert(number)
        }
        #expect(seen.count == 65535 - taken.count)
    }
}
