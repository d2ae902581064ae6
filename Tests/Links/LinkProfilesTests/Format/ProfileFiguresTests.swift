// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

/// The columns of a list.
@Suite struct ProfileFiguresTests {
    private func figures(_ members: String) throws -> ProfileFigures {
        ProfileFigures(try Profile(utf8: #"{"name": "Test", \#(members)}"#.utf8))
    }

    @Test(arguments: [
        (#""downlink": {"rate": "50 Mbit/s"}, "uplink": {"rate": "10 Mbit/s"}"#, "50/10 Mbit/s"),
        (#""downlink": {"rate": "2 Mbit/s"}, "uplink": {"rate": "256 kbit/s"}"#, "2/0.256 Mbit/s"),
        (#""downlink": {"rate": "104.71 Mbit/s"}, "uplink": {"rate": "14.84 Mbit/s"}"#, "105/14.8 Mbit/s"),
        (#""downlink": {"rate": "32 kbit/s"}, "uplink": {"rate": "32 kbit/s"}"#, "32 kbit/s"),
        (#""downlink": {"rate": "2.25 Mbit/s"}"#, "2.25/- Mbit/s"), (#""dns": {"delay": "1 s"}"#, "-"),
    ])
    func writesBothRatesInOneUnit(members: String, rate: String) throws {
        #expect(try figures(members).rate == rate)
    }

    @Test(arguments: [
        (#""downlink": {"delay": "400 ms"}, "uplink": {"delay": "440 ms"}"#, "400/440 ms"),
        (#""downlink": {"delay": "29.63 ms"}, "uplink": {"delay": "29.63 ms"}"#, "29.6 ms"),
        (
            #""downlink": {"delay": "250 ms", "jitter": "50 ms"}, "uplink": {"delay": "250 ms", "jitter": "50 ms"}"#,
            "250 ± 50 ms"
        ),
        (#""uplink": {"delay": "1.5 s"}"#, "-/1.5 s"),
    ])
    func writesTheDelayWithItsJitter(members: String, delay: String) throws {
        #expect(try figures(members).delay == delay)
    }

    @Test func writesTheMeanLoss() throws {
        let burst = #"{"loss": {"gilbertElliott": {"loss": "1.95 %", "burst": 5.0}}}"#
        #expect(try figures(#""downlink": \#(burst), "uplink": \#(burst)"#).loss == "1.95 %")
        #expect(try figures(#""downlink": {"loss": "100 %"}"#).loss == "100 % down")
        #expect(try figures(#""uplink": {"loss": "5 %"}"#).loss == "5 % up")
    }

    @Test func namesWhatHasNoColumn() throws {
        let queue = #""uplink": {"rate": "1 Mbit/s", "queue": "1 s"}"#
        let figures = try figures(#""dns": {"delay": "200 ms"}, "mtu": 1280, \#(queue)"#)
        #expect(figures.others == ["dns + 200 ms", "queue 1 s", "MTU 1280"])
        #expect(!figures.isEmpty)
        #expect(try self.figures(#""dns": {"delay": "200 ms"}"#).isEmpty)
    }
}
