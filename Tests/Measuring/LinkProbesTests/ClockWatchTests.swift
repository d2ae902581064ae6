// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProbes

@Suite struct ClockWatchTests {
    /// Nanoseconds of the clock that is never set, and by how much the time of day is ahead of it.
    private func changes(_ looks: [(time: Int64, ahead: Int64, took: Int64)]) -> [Bool] {
        var watch = ClockWatch()
        return looks.map { look in
            watch.wasSet(before: look.time, wall: look.time + look.ahead + look.took / 2, after: look.time + look.took)
        }
    }

    @Test func noticesThatTheTimeIsSet() {
        let day: Int64 = 86_400_000_000_000
        #expect(changes([(0, day, 100), (1_000, day, 100), (2_000, day + 2_000_000, 100)]) == [false, false, true])
        #expect(changes([(0, day, 100), (1_000, 0, 100), (2_000, 0, 100)]) == [false, true, false])
    }

    /// Neither a slow correction, nor a look in which the process had to wait.
    @Test func noticesNothingElse() {
        let slewed = (0..<1_000).map { (Int64($0) * 20_000_000, Int64($0) * 10_000, Int64(100)) }
        #expect(!changes(slewed).contains(true))
        #expect(changes([(0, 0, 100), (1_000, 0, 50_000_000), (2_000, 0, 100)]) == [false, false, false])
    }
}
