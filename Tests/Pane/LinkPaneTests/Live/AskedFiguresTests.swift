// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import LinkPane

struct AskedFiguresTests {
    private static func profile(_ more: String = "") throws -> Profile {
        try Profile(
            utf8: #"""
                {"name": "A", "downlink": {"rate": "8 Mbit/s", "delay": "50 ms"}, "schedule": {"steps": [
                {"at": "10 s", "downlink": {"rate": "1 Mbit/s"}}, {"at": "20 s", "uplink": {"delay": "1 s"}}]\#(more)}}
                """#.utf8
        )
    }

    @Test(arguments: [(5.0, 8e6), (9.0, nil), (15.0, 1e6), (21.0, nil), (25.0, 8e6), (500.0, 8e6)])
    func followsASchedule(time: Double, rate: Double?) throws {
        let figures = AskedFigures(try Self.profile(), .downlink, since: 1_000, time: 1_000 + time)
        #expect(figures?.rate == rate && (figures == nil || figures?.delay == .milliseconds(50)))
    }

    @Test(arguments: [(35.0, 8e6), (45.0, 1e6), (31.0, nil), (61.0, nil)])
    func followsARepeatedSchedule(time: Double, rate: Double?) throws {
        let profile = try Self.profile(#", "repeat": "30 s""#)
        #expect(AskedFigures(profile, .downlink, since: 1_000, time: 1_000 + time)?.rate == rate)
    }

    @Test func knowsNothingOfAScheduleWithoutItsStart() throws {
        #expect(AskedFigures(try Self.profile(), .downlink, since: nil, time: 5) == nil)
    }

    @Test func takesNoTraceForARate() throws {
        var link = Impairments()
        link.trace = TraceReference(file: "drive", format: .mahimahi)
        #expect(AskedFigures(link).rate == nil && AskedFigures(link).longestWait == nil)
    }
}
