// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Sandboxing

@Suite struct ProcessorWaitsTests {
    private func waits(_ threads: [CInt: Int64], children: [CInt: UInt64] = [1: 5]) -> ProcessorWaits {
        var waits = ProcessorWaits()
        for (number, time) in threads { waits.waits[.init(process: 1, number: number)] = time }
        waits.endedChildren = children
        return waits
    }

    @Test func addsWhatEachThreadHasWaited() throws {
        let difference = try #require(waits([1: 1500, 2: 70, 3: 8]).since(waits([1: 1000, 2: 70])))
        #expect(difference.sum == 508)
        #expect(difference.longest == 500)
    }

    @Test func doesNotKnowTheWaitsOfThreadsThatHaveEnded() {
        #expect(waits([1: 1500]).since(waits([1: 1000, 2: 70])) == nil)
    }

    @Test func doesNotKnowTheWaitsOfProcessesThatNoLookHasSeen() {
        #expect(waits([1: 1500], children: [1: 6]).since(waits([1: 1000])) == nil)
        #expect(waits([1: 1500], children: [1: 5, 2: 1]).since(waits([1: 1000])) == nil)
        #expect(waits([1: 1500], children: [1: 5, 2: 0]).since(waits([1: 1000])) != nil)
    }
}
