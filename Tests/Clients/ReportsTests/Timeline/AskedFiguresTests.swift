// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import Reports

/// The dashed lines of a report: what a profile asks for.
@Suite struct AskedFiguresTests {
    private func figures(_ profile: String) throws -> AskedFigures {
        AskedFigures(try Profile(json: JSON(utf8: profile.utf8)))
    }

    private func parts(_ rate: AskedFigure<BitRate>?, _ begin: Int, _ end: Int, limit: Int = 100) -> [[Int]] {
        (rate?.parts(.seconds(begin), .seconds(end), limit: limit) ?? []).map { part in
            [Int(part.begin / .seconds(1)), Int(part.end / .seconds(1)), Int(part.value.bitsPerSecond) / 1000]
        }
    }

    @Test func areThoseOfTheProfile() throws {
        let asked = try figures(#"{ "name": "A", "uplink": { "rate": "32 kbit/s" }, "downlink": { "delay": "1 s" } }"#)
        #expect(asked.uplink.rate?.constant?.bitsPerSecond == 32_000)
        #expect(parts(asked.uplink.rate, 3, 9) == [[3, 9, 32]])
        #expect(asked.downlink.rate == nil)
        #expect(asked.uplink.delay == nil && asked.downlink.delay?.constant == .seconds(1))
    }

    /// "1 fault" says nothing of a broken network.
    @Test func sayWhatTheFaultsDo() throws {
        let fault = #"{ "match": { "protocol": "tcp", "after": "20 kB" }, "do": "reset" }"#
        let words = "fault 1 (reset: tcp, after 20 kB)"
        #expect(try figures(#"{ "name": "A", "faults": [\#(fault)] }"#).words == words)
        let slow = try figures(#"{ "name": "A", "dns": { "delay": "1 s" }, "faults": [\#(fault)] }"#)
        #expect(slow.words == "a perfect link; DNS + 1 s; \(words)")
        let ports = (1...5).map { fault.replacing("\"tcp\"", with: "\"tcp\", \"port\": \($0)") }
        let many = ports.joined(separator: ", ")
        #expect(try figures(#"{ "name": "A", "faults": [\#(many)] }"#).words?.hasSuffix("; 2 more faults") == true)
    }

    private static let scheduled = #"""
        { "name": "A", "downlink": { "rate": "2 Mbit/s" }, "schedule": { "steps": [
            { "at": "2 s", "downlink": { "rate": "1 Mbit/s" } }, { "at": "3 s", "uplink": { "loss": "1 %" } }
        ], "repeat": "5 s" } }
        """#

    @Test func followASchedule() throws {
        let asked = try figures(Self.scheduled)
        #expect(asked.uplink.rate == nil)
        #expect(asked.downlink.rate?.constant == nil)
        let expected = [[1, 3, 2000], [3, 4, 1000], [4, 6, 2000], [6, 8, 2000], [8, 9, 1000]]
        #expect(parts(asked.downlink.rate, 1, 9) == expected)
        #expect(parts(asked.downlink.rate, 1, 1_000_000, limit: 3) == Array(expected[..<3]))
    }

    /// A step's rate takes the place of a recording, and of the profile's own at the same time.
    @Test func areNoneWhereARecordingGivesThem() throws {
        let asked = try figures(
            #"""
            { "name": "A", "uplink": { "trace": { "file": "a.up", "format": "mahimahi" } }, "schedule": { "steps": [
                { "at": "4 s", "uplink": { "rate": "8 kbit/s" } }
            ] } }
            """#
        )
        #expect(parts(asked.uplink.rate, 0, 9) == [[4, 9, 8]])
    }
}
