// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

/// Figures that a kernel reports, which no profile's limits hold.
@Suite struct ReportedFigureTests {
    @Test(arguments: [
        #"{}"#, #"{ "rate": "0 bit/s" }"#, #"{ "rate": "18446744073.709551615 Gbit/s" }"#,
        #"{ "delay": "9223372036.854775807 s" }"#, #"{ "delay": "-9223372036.854775807 s" }"#, #"{ "delay": "-5 ms" }"#,
        #"{ "reorder": { "probability": "5 %", "gap": 4294967295 } }"#,
        #"{ "overhead": { "packet": -2147483648, "cell": 4294967295, "cellOverhead": -2147483648 } }"#,
        #"{ "loss": { "fourState": { "p13": "60 %", "p31": "60 %", "p32": "60 %", "p23": "100 %", "p14": "60 %" } } }"#,
    ])
    func readsAndWritesThemAlike(text: String) throws {
        let figures = try #require(Impairments(json: JSON(utf8: text.utf8)))
        #expect(figures.json.line == text)
    }

    @Test(arguments: [
        "null", "[]", #"{ "rate": 5 }"#, #"{ "rate": "-5 bit/s" }"#, #"{ "delay": "--5 ms" }"#, #"{ "speed": "1 ms" }"#,
        #"{ "loss": "101 %" }"#, #"{ "overhead": { "cell": 48 } }"#, #"{ "overhead": { "packet": 1.5 } }"#,
    ])
    func refusesWhatIsNoFigure(text: String) throws {
        #expect(try Impairments(json: JSON(utf8: text.utf8)) == nil)
    }
}
