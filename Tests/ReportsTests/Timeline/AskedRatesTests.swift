// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import Reports

/// The dashed line of a report: the rate that a profile asks for.
@Suite struct AskedRatesTests {
    private func rates(_ profile: String) throws -> AskedRates {
        AskedRates(try Profile(json: JSON(utf8: profile.utf8)))
    }

    private func parts(_ rate: AskedRate?, _ begin: Int, _ end: Int, limit: Int = 100) -> [[Int]] {
        (rate?.parts(.seconds(begin), .seconds(end), limit: limit) ?? []).map { part in
            [Int(part.begin / .seconds(1)), Int(part.end / .seconds(1)), Int(part.rate.bitsPerSecond) / 1000]
        }
    }

    @Test func areThoseOfTheProfile() throws {
        let rates = try rates(#"{ "name": "A", "uplink": { "rate": "32 kbit/s" }, "downlink": { "delay": "1 s" } }"#)
        #expect(rates.uplink?.constant?.bitsPerSecond == 32_000)
        #expect(parts(rates.uplink, 3, 9) == [[3, 9, 32]])
        #expect(rates.downlink == nil)
    }

    private static let scheduled = #"""
        { "name": "A", "downlink": { "rate": "2 Mbit/s" }, "schedule": { "steps": [
            { "at": "2 s", "downlink": { "rate": "1 Mbit/s" } }, { "at": "3 s", "uplink": { "loss": "1 %" } }
        ], "repeat": "5 s" } }
        """#

    @Test func followASchedule() throws {
        let rates = try rates(Self.scheduled)
        #expect(rates.uplink == nil)
        #expect(rates.downlink?.constant == nil)
        let expected = [[1, 3, 2000], [3, 4, 1000], [4, 6, 2000], [6, 8, 2000], [8, 9, 1000]]
        #expect(parts(rates.downlink, 1, 9) == expected)
        #expect(parts(rates.downlink, 1, 1_000_000, limit: 3) == Array(expected[..<3]))
    }

    /// A step's rate takes the place of a recording, and of the profile's own at the same time.
    @Test func areNoneWhereARecordingGivesThem() throws {
        let rates = try rates(
            #"""
            { "name": "A", "uplink": { "trace": { "file": "a.up", "format": "mahimahi" } }, "schedule": { "steps": [
                { "at": "4 s", "uplink": { "rate": "8 kbit/s" } }
            ] } }
            """#
        )
        #expect(parts(rates.uplink, 0, 9) == [[4, 9, 8]])
    }
}
