// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog
import TestKit
import Testing

@testable import LinkPane

@Suite struct LaneDrawingTests {
    private func profile(_ downlink: String) throws -> Profile {
        try Profile(name: "drawn").overriding([("downlink", downlink)])
    }

    @Test func drawsTheRateUnderFullLoad() throws {
        // On 32 kbit/s 1,000 pings in 10 s would take the whole rate.
        for (rate, text, seconds) in [(32_000.0, "32 kbit/s", 60.0), (5e7, "50 Mbit/s", 10), (2e9, "2 Gbit/s", 10)] {
            let drawing = LaneDrawing(try profile("rate=\(text)"), .downlink, [:])
            #expect(drawing.rate.count == LaneDrawing.steps && drawing.seconds == seconds)
            #expect(drawing.rate.dropFirst(5).dropLast().allSatisfy { abs($0 - rate) < rate / 100 }, "\(text)")
        }
        #expect(LaneDrawing(try profile("delay=1 ms"), .downlink, [:]).rate.isEmpty)
    }

    @Test func drawsEachOf1000Packets() throws {
        let drawing = LaneDrawing(try profile("delay=100 ms,jitter=20 ms,loss=10 %"), .downlink, [:])
        #expect(drawing.dots.count == 1000)
        let lost = drawing.dots.filter { $0.delay == nil }
        // 100 packets, within five standard deviations.
        #expect(abs(lost.count - 100) < 48 && lost.allSatisfy { $0.reason == "random loss" })
        #expect(drawing.dots.compactMap(\.delay).allSatisfy { (80...120).contains($0) })
        #expect(drawing.histogram.counts.reduce(0, +) == 1000 - lost.count)
        #expect(drawing.histogram.edges.count == drawing.histogram.counts.count + 1)
    }

    /// Small packets meet no queue of their own making, even where 1,000 pings in 10 s are more than the link carries.
    @Test func drawsTheDelayOfASlowLinkWithoutAQueue() throws {
        let drawing = LaneDrawing(try profile("rate=32 kbit/s,delay=100 ms"), .downlink, [:])
        #expect(drawing.dots.compactMap(\.delay).allSatisfy { (110...130).contains($0) })
        #expect(drawing.histogram.counts == [1000])
        // Under load, 16 packets wait: 6 s.
        #expect((drawing.loadedDelay.max() ?? 0) > 5000)
    }

    @Test func drawsTheSamePictureAgain() throws {
        let profile = try profile("rate=1 Mbit/s,delay=10 ms,jitter=5 ms,loss=3 %")
        let (first, second) = (LaneDrawing(profile, .downlink, [:]), LaneDrawing(profile, .downlink, [:]))
        #expect(first.json.line == second.json.line)
    }

    @Test func showsAPeriodOfASchedule() throws {
        let text = """
            {"name": "steps", "downlink": {"rate": "3 Mbit/s"},
             "schedule": {"steps": [{"at": "0 s"}, {"at": "10 s", "downlink": {"rate": "1 Mbit/s", "delay": "40 ms"}}],
              "repeat": "20 s"}}
            """
        let profile = try Profile(utf8: text.utf8)
        let drawing = LaneDrawing(profile, .downlink, [:])
        #expect(drawing.seconds == 20)
        #expect(abs(drawing.rate[20] - 3e6) < 3e4 && abs(drawing.rate[80] - 1e6) < 3e4)
        #expect((drawing.dots[200].delay ?? 0) < 1 && (drawing.dots[800].delay ?? 0) > 40)
        // The other direction has the same axis.
        #expect(LaneDrawing(profile, .uplink, [:]).seconds == 20)
    }

    @Test func showsAMinuteAtMost() throws {
        let text = """
            {"name": "long", "schedule": {"steps": [{"at": "900 s", "downlink": {"delay": "40 ms"}}]}}
            """
        #expect(LaneDrawing(try Profile(utf8: text.utf8), .downlink, [:]).seconds == 60)
    }

    @Test func showsWhatIsHeldBack() throws {
        let text = """
            {"name": "outage", "downlink": {"rate": "1 Mbit/s"},
             "schedule": {"steps": [{"at": "5 s", "downlink": {"rate": "0 bit/s"}}]}}
            """
        let drawing = LaneDrawing(try Profile(utf8: text.utf8), .downlink, [:])
        #expect(drawing.dots.last?.delay == nil && drawing.dots.last?.reason != nil)
        #expect(drawing.rate.last == 0)
    }
}
