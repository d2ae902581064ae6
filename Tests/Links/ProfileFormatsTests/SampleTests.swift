// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog
import ProfileFormats
import Testing

/// What other tools print and publish, and the figures that their profiles have.
@Suite struct SampleTests {
    /// A link of the sources: kbit/s, ms of one-way delay and percent of loss, down and up; nil is none.
    struct Row: CustomTestStringConvertible {
        let text: String
        var name: String?
        let down: (rate: Double?, delay: Double?, loss: Double?)
        let up: (rate: Double?, delay: Double?, loss: Double?)
        var dns: Int?
        /// The built-in profile of the same source, if there is one.
        var builtIn: String?

        var testDescription: String { name ?? String(text.prefix(40)) }
    }

    static let rows = [
        Row(text: Samples.nlc, name: "3G", down: (780, 100, nil), up: (330, 100, nil), builtIn: "3G"),
        Row(text: Samples.nlc, name: "lte", down: (50_000, 50, nil), up: (10_000, 65, nil), builtIn: "LTE"),
        Row(
            text: Samples.nlc,
            name: "very-bad-network",
            down: (1000, 500, 10),
            up: (1000, 500, 10),
            builtIn: "Very Bad Network"
        ),
        Row(
            text: Samples.nlc,
            name: "High Latency DNS",
            down: (nil, nil, nil),
            up: (nil, nil, nil),
            dns: 3000,
            builtIn: "High Latency DNS"
        ),
        Row(text: Samples.tcconfig, down: (500, 1, 0.02), up: (250, 10, 0.01)),
        Row(text: Samples.atc, down: (240, 400, 1), up: (200, 440, 1), builtIn: "ATC Edge Lossy"),
        Row(
            text: Samples.webpagetest,
            name: "Cable",
            down: (5000, 14, nil),
            up: (1000, 14, nil),
            builtIn: "WebPageTest Cable"
        ),
        Row(
            text: Samples.webpagetest,
            name: "dsl",
            down: (1500, 25, nil),
            up: (384, 25, nil),
            builtIn: "WebPageTest DSL"
        ),
        Row(
            text: Samples.webpagetest,
            name: "Dial",
            down: (49, 60, nil),
            up: (30, 60, nil),
            builtIn: "WebPageTest Dial"
        ),
        Row(
            text: Samples.webpagetest,
            name: "3GFast",
            down: (1600, 75, nil),
            up: (768, 75, nil),
            builtIn: "WebPageTest 3G Fast"
        ),
        Row(text: Samples.comcast, down: (750, 250, 1.5), up: (750, 250, 1.5), builtIn: "Comcast 3G"),
        Row(text: Samples.throttle, down: (1600, 75, nil), up: (768, 75, nil), builtIn: "Sitespeed 3G"),
        Row(text: Samples.throttleJSON, down: (780, 100, 2), up: (330, 100, 2)),
        Row(text: Samples.devtools, down: (1600, 75, nil), up: (750, 75, nil), builtIn: "Chrome Slow 4G"),
        Row(text: Samples.lighthouse, down: (1638.4, 75, nil), up: (750, 75, nil), builtIn: "Lighthouse Slow 4G"),
        Row(text: Samples.toxiproxy, down: (nil, 100, nil), up: (328, nil, nil)),
        Row(text: Samples.tc, down: (2500, 5, nil), up: (1000, 100, 1)),
    ]

    private static func figures(_ impairments: Impairments?) -> [Double?] {
        [
            impairments?.rate.map { Double($0.bitsPerSecond) / 1000 }, impairments?.delay.map { $0 / .milliseconds(1) },
            impairments?.loss.map { ($0.meanLoss * 1e6).rounded() / 1e4 },
        ]
    }

    @Test(arguments: rows)
    func haveTheFiguresOfTheSource(row: Row) throws {
        let profile = try ImportedProfile.read(row.text, name: row.name).profile
        #expect(Self.figures(profile.downlink) == [row.down.rate, row.down.delay, row.down.loss])
        #expect(Self.figures(profile.uplink) == [row.up.rate, row.up.delay, row.up.loss])
        #expect(profile.dns?.delay == row.dns.map { .milliseconds($0) })
        guard let name = row.builtIn else { return }
        let builtIn = try Catalog(directories: []).profile(name).profile
        #expect(profile.downlink == builtIn.downlink && profile.uplink == builtIn.uplink && profile.dns == builtIn.dns)
    }

    @Test(arguments: Samples.all.indices)
    func areRecognised(index: Int) throws {
        let (format, text) = Samples.all[index]
        let name: String? = format == .nlc ? "3G" : format == .webpagetest ? "DSL" : nil
        let file = format == .mahimahi ? "/traces/lte.up" : nil
        let recognised = try ImportedProfile.read(text, name: name, file: file)
        #expect(try recognised == ImportedProfile.read(text, format: format, name: name, file: file))
        // In the text as an editor of another system saves it.
        let saved = "\u{FEFF}" + text.replacing("\n", with: "\r\n")
        #expect(try ImportedProfile.read(saved, name: name, file: file).profile == recognised.profile)
    }

    @Test func nameARecording() throws {
        let imported = try ImportedProfile.read(Samples.mahimahi, file: "/traces/lte.up")
        #expect(imported.profile.uplink?.trace == TraceReference(file: "/traces/lte.up", format: .mahimahi))
        #expect(imported.profile.downlink == nil && imported.profile.name == "lte")
        #expect(imported.profile.summary?.contains("12 Mbit/s") == true)
        guard case .invalid? = ImportedProfile.failure(Samples.mahimahi) else {
            Issue.record("a recording without a file was accepted")
            return
        }
    }

    @Test func haveTheLossModelsOfTc() throws {
        let figures = try #require(try ImportedProfile.read(Samples.tcJSON).profile.uplink)
        let share = { Probability(fraction: $0) }
        #expect(
            figures.loss
                == .gilbertElliott(
                    GilbertElliott(p: share(0.01), r: share(0.1), lossInBad: share(0.7), lossInGood: share(0.001))
                )
        )
        #expect(figures.overhead == Overhead(packet: 20, cell: 53, cellOverhead: 5) && figures.ecn == true)
        #expect(figures.rate == BitRate(bitsPerSecond: 1_000_000) && figures.queue == .packets(1000))
        let state = try ImportedProfile.read(
            "qdisc netem 1: root refcnt 2 loss state p13 1% p31 90% p32 5% p23 90% p14 0.1%"
        )
        #expect(
            state.profile.uplink?.loss
                == .fourState(
                    FourState(p13: share(0.01), p31: share(0.9), p32: share(0.05), p23: share(0.9), p14: share(0.001))
                )
        )
        let below =
            "qdisc tbf 1: dev d0 root refcnt 2 rate 1Mbit burst 1600b lat 50ms \n"
            + "qdisc netem 10: dev d0 parent 1: limit 1000 delay 1.5s  20ms duplicate 1% reorder 25% 50% corrupt 0.1% gap 5"
        let both = try #require(try ImportedProfile.read(below).profile.uplink)
        #expect(both.queue == .time(.milliseconds(50)) && both.rate == BitRate(bitsPerSecond: 1_000_000))
        #expect(both.reorder == Reorder(probability: share(0.25), gap: 5) && both.delay == .milliseconds(1500))
        #expect(both.jitter == Jitter(amount: .milliseconds(20), ordered: false))
    }

    @Test(
        arguments: [
            (Samples.nlc, "3G", ["ExcludeLoopback"]),
            (Samples.tcconfig, nil, ["dst-network=192.168.0.10/32", "the distribution of the delay"]),
            (
                Samples.atc.replacing(
                    "\"correlation\": 0, \"percentage\": 1",
                    with: "\"correlation\": 25, \"percentage\": 1"
                ), nil,
                ["$.shaping.down.loss.correlation", "$.shaping.up.loss.correlation"]
            ),
            (Samples.webpagetest, "Dial", ["latency is a round trip", "[Dial] timeout"]),
            (
                Samples.comcast, nil,
                ["--device", "--to 8.8.8.8 --to 10.0.0.0/24", "--port 80 --port 22", "--default-bw", "both directions"]
            ),
            (Samples.throttle, nil, ["rtt is a round trip"]),
            (Samples.devtools, nil, ["latency is a round trip", "requests, not packets"]),
            (
                Samples.lighthouse, nil,
                ["rttMs is a round trip", "uploadThroughputKbps / 0.9", "cpuSlowdownMultiplier"]
            ),
            (Samples.toxiproxy, nil, ["each connection's data"]),
            (
                Samples.toxiproxy.replacing("bandwidth", with: "limit_data"), nil,
                ["$[1], \"limit_data\"", "$[1].attributes.rate"]
            ),
            (
                Samples.tc, nil,
                ["the correlation of delay", "the correlation of loss", "packets in flight", "taken for the uplink"]
            ),
            (Samples.tc.replacing("rate 2500Kbit", with: "slot 800us 1ms"), nil, ["slot is left out"]),
        ] as [(String, String?, [String])]
    )
    func sayWhatIsLeftOut(text: String, name: String?, parts: [String]) throws {
        let remarks = try ImportedProfile.read(text, name: name).remarks
        for part in parts { #expect(remarks.contains { $0.contains(part) }, "\(part) is not in \(remarks)") }
    }

    @Test func chooseOneOfSeveral() throws {
        #expect(
            ImportedProfile.failure(Samples.nlc) == .several(["3G", "LTE", "Very Bad Network", "High Latency DNS"])
        )
        #expect(
            ImportedProfile.failure(Samples.webpagetest, name: "5G")
                == .noSuchName("5G", ["Cable", "DSL", "Dial", "3GFast"])
        )
        #expect(try ImportedProfile.read(Samples.comcast, name: "Mine").profile.name == "Mine")
        let proxies =
            #"{"redis": {"name": "redis", "toxics": [{"type": "latency", "attributes": {"latency": 1}}]}, "#
            + #""web": {"name": "web", "toxics": [{"type": "latency", "attributes": {"latency": 2}}]}, "#
            + #""none": {"name": "none", "toxics": []}}"#
        #expect(ImportedProfile.failure(proxies) == .several(["redis", "web"]))
        #expect(try ImportedProfile.read(proxies, name: "web").profile.downlink?.delay == .milliseconds(2))
    }
}
