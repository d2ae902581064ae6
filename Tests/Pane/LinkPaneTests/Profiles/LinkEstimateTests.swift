// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog
import Testing

@testable import LinkPane

/// The estimate against figures computed by hand; the computation stands beside each.
@Suite struct LinkEstimateTests {
    private func estimate(_ name: String) throws -> LinkEstimate {
        LinkEstimate(try Catalog(directories: []).profile(name).profile)
    }

    @Test func estimatesSlowNet() throws {
        let link = try estimate("Slow Net")
        // 100 ms and 784 bits at 32 kbit/s, both ways.
        #expect(link.ping.isNear(0.249))
        // Two pings, then 691 frames of 1514 bytes at 32 kbit/s: ten of them fill more than a round trip.
        #expect(link.page.isNear(2 * 0.249 + 691 * 0.3785))
        // 16 full frames, which are more than 300 ms at the rate, and 100 ms at the rate.
        #expect(link.inFlight?.isNear(24_224 + 400) == true)
        #expect(link.pingBehindQueue?.isNear(0.249 + 24_224 * 8 / 32_000) == true)
        #expect(link.connectionRate == 32_000)
        #expect(link.query.isNear(0.449))
    }

    @Test func estimatesLTE() throws {
        let link = try estimate("LTE")
        // 115 ms, and 784 bits at 50 and at 10 Mbit/s.
        #expect(link.ping.isNear(0.115_094_08))
        // Windows of 10, 20, 40, 80, 160 and 320 segments take a round trip each and leave 61 of 691.
        #expect(link.page.isNear(8 * 0.115_094_08 + 61 * 0.000_242_24))
        // 300 ms and 50 ms at 50 Mbit/s.
        #expect(link.inFlight?.isNear(1_875_000 + 312_500) == true)
        #expect(link.pingBehindQueue?.isNear(0.415_094_08) == true)
        #expect(link.query == link.ping)
    }

    @Test func estimates3G() throws {
        let link = try estimate("3G")
        // 200 ms, and 784 bits at 780 and at 330 kbit/s.
        #expect(link.ping.isNear(0.203_380_89))
        // One window of 10 segments; 20 fill the round trip; 681 are left.
        #expect(link.page.isNear(3 * 0.203_380_89 + 681 * 12_112 / 780_000))
        // 300 ms and 100 ms at 780 kbit/s.
        #expect(link.inFlight?.isNear(29_250 + 9_750) == true)
    }

    @Test func estimatesThatNothingArrives() throws {
        let link = try estimate("Black Hole")
        #expect(link.answered == 0 && link.page == .infinity)
        #expect(link.sentences == ["nothing arrives: every packet towards this host is lost"])
    }

    @Test func estimatesNastyNet() throws {
        let link = try estimate("Nasty Net")
        #expect(link.ping.isNear(0.249))
        // A tenth of the pings arrives, and a tenth of their answers.
        #expect(link.answered.isNear(0.01))
        // Padhye: 0.249 s * sqrt(2 * 0.9 / 3) = 0.192 87 s, and a timeout of 0.449 s * 0.9 * (1 + 32 * 0.81) = 10.878 s.
        #expect(link.lossLimit?.isNear(1448 * 8 / 11.071_25) == true)
        #expect(link.page.isNear(2 * 0.249 + 691 * 11.071_25))
    }

    /// With 1 % loss and 100 ms, Mathis' window is sqrt(1.5 / 0.01) = 12.2 segments; CUBIC's (RFC 9438, 5.1) is smaller.
    @Test func limitsAConnectionByLoss() throws {
        let profile = try Profile(name: "lossy").overriding([("downlink", "rate=50 Mbit/s,delay=100 ms,loss=1 %")])
        let link = LinkEstimate(profile)
        #expect(link.lossLimit?.isNear((1.5 / 0.01).squareRoot() * 1448 * 8 / 0.1) == true)
        // 50 Mbit/s for 100 ms and the frame of a ping are 413 frames.
        #expect(
            link.sentences.contains(
                "one connection gets about 1.48 Mbit/s of 50 Mbit/s: losses keep its window below the 413 packets that "
                    + "the link holds"
            )
        )
    }

    @Test func givesTheRangeOfVaryingDelays() throws {
        let profile = try Profile(name: "varying").overriding([
            ("downlink", "delay=100 ms,jitter=20 ms"), ("uplink", "delay=10 ms,jitter=30 ms"),
        ])
        let range = try #require(LinkEstimate(profile).pingRange)
        // 80 ms to 120 ms, and 0 to 40 ms, since a delay below zero is zero.
        #expect(range.shortest.isNear(0.08) && range.longest.isNear(0.16))
    }

    /// The sum of two normal delays with standard deviations of 30 and 40 ms has 50 ms; 5 % are 1.645 of them away.
    @Test func givesMostOfADistributionWithTails() throws {
        var profile = Profile(name: "normal")
        for (path, amount) in [(\Profile.downlink, 30), (\.uplink, 40)] {
            profile[keyPath: path] = Impairments()
            profile[keyPath: path]?.delay = .milliseconds(500)
            profile[keyPath: path]?.jitter = Jitter(amount: .milliseconds(amount), distribution: .normal)
        }
        let range = try #require(LinkEstimate(profile).pingRange)
        #expect(abs(range.shortest - (1 - 1.645 * 0.05)) < 0.002 && abs(range.longest - (1 + 1.645 * 0.05)) < 0.002)
    }

    @Test func countsAScheduleWithItsMean() throws {
        let text = """
            {"name": "steps", "downlink": {"rate": "3 Mbit/s", "delay": "10 ms"},
             "schedule": {"steps": [{"at": "0 s"}, {"at": "2 s", "downlink": {"rate": "1 Mbit/s", "delay": "40 ms"}}],
              "repeat": "4 s"}}
            """
        let link = LinkEstimate(try Profile(utf8: text.utf8))
        #expect(link.downlink.rate == 2_000_000 && link.downlink.delay.isNear(0.025))
    }
}

extension Double {
    /// Whether the value differs by a part in 100,000 at most.
    fileprivate func isNear(_ other: Double) -> Bool { abs(self - other) <= abs(other) * 1e-5 }
}
