// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LocalNetwork
@testable import Reachability

@Suite struct ClockComparisonTests {
    private typealias Reading = ClockJumpDetector.Reading

    private var clocks = ClockJumpDetector(Reading(monotonic: .seconds(10), boot: .seconds(20), real: .seconds(1000)))

    private mutating func take(_ monotonic: Int, _ boot: Int, _ real: Int) -> [LinkEvent.Change] {
        clocks.compare(Reading(monotonic: .seconds(monotonic), boot: .seconds(boot), real: .seconds(real)))
    }

    @Test mutating func saysNothingOfTimeThatPasses() {
        #expect(take(3610, 3620, 4600).isEmpty)
    }

    @Test mutating func noticesSleepOnce() {
        #expect(take(11, 321, 1301) == [.resumed(after: .seconds(300))])
        #expect(take(12, 322, 1302).isEmpty)
    }

    @Test mutating func noticesAClockThatIsSet() {
        #expect(take(11, 21, 4601) == [.clockSet(by: .seconds(3600))])
        #expect(take(12, 22, 1002) == [.clockSet(by: .seconds(-3600))])
    }

    @Test mutating func tellsSleepFromSetting() {
        #expect(take(11, 321, 1361) == [.resumed(after: .seconds(300)), .clockSet(by: .seconds(60))])
    }

    @Test mutating func toleratesSlewing() {
        let reading = Reading(monotonic: .seconds(11), boot: .milliseconds(21_010), real: .milliseconds(1_000_900))
        #expect(clocks.compare(reading).isEmpty)
    }
}
