// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import TestKit
import Testing

@testable import ProfileFormats

/// What a format can say comes back as it was, and what it cannot is named.
@Suite struct RoundTripTests {
    /// A tenth of what is cheaper.
    private static let count = FuzzedInputs.count / 10

    @Test func devtoolsKeepsWhatItCanSay() throws {
        var random = RandomProfile(seed: 1)
        for _ in 0..<Self.count {
            let profile = random.devtools()
            let exported = ExportedProfile(profile, as: .devtools)
            let back = try ImportedProfile.read(exported.text, name: "Random").profile
            try #require(back == profile, "\(exported.text)")
            try #require(!exported.remarks.contains { $0.contains("left out") || $0.contains("rounded") })
        }
    }

    @Test func toxiproxyKeepsWhatItCanSay() throws {
        var random = RandomProfile(seed: 2)
        for _ in 0..<Self.count {
            let profile = random.toxiproxy()
            guard profile.downlink != nil || profile.uplink != nil else { continue }
            let exported = ExportedProfile(profile, as: .toxiproxy)
            let back = try ImportedProfile.read(exported.text, name: "Random").profile
            try #require(back == profile, "\(exported.text)")
            try #require(!exported.remarks.contains { $0.contains("left out") || $0.contains("rounded") })
        }
    }

    /// The figures in the words of tc(8), as "tc qdisc show" prints them.
    private static func line(_ figures: Impairments) -> String {
        var words = "qdisc netem 8001: dev eth0 root refcnt 2"
        if case .packets(let limit)? = figures.queue { words += " limit \(limit)" }
        if let delay = figures.delay { words += " delay \(delay.millisecondText)ms" }
        if let jitter = figures.jitter { words += "  \(jitter.amount.millisecondText)ms" }
        let percent = { (share: Probability) in "\(share.percentText)%" }
        switch figures.loss {
        case .random(let share)?: words += " loss \(percent(share))"
        case .gilbertElliott(let chain)?:
            words += " loss gemodel p \(percent(chain.p)) r \(percent(chain.r))"
            words += " 1-h \(percent(chain.lossInBad)) 1-k \(percent(chain.lossInGood))"
        case .fourState(let chain)?:
            words += " loss state p13 \(percent(chain.p13)) p31 \(percent(chain.p31)) p32 \(percent(chain.p32))"
            words += " p23 \(percent(chain.p23)) p14 \(percent(chain.p14))"
        case .limited?, nil: break
        }
        if let share = figures.duplicate { words += " duplicate \(percent(share))" }
        if let reorder = figures.reorder { words += " reorder \(percent(reorder.probability))" }
        if let share = figures.corrupt { words += " corrupt \(percent(share))" }
        if let rate = figures.rate { words += " rate \(rate.bitsPerSecond)bit" }
        if let overhead = figures.overhead { words += " packetoverhead \(overhead.packet)" }
        if let reorder = figures.reorder { words += " gap \(reorder.gap)" }
        return words
    }

    @Test func readsWhatTcPrints() throws {
        var random = RandomProfile(seed: 3)
        for _ in 0..<Self.count {
            let figures = random.netem()
            let line = Self.line(figures)
            let back = try ImportedProfile.read(line).profile
            try #require(back.uplink == figures && back.downlink == nil, "\(line)")
        }
    }

    /// Every figure is in the text or in a remark.
    @Test(arguments: ExportFormat.allCases)
    func dropsNothingSilently(format: ExportFormat) throws {
        var random = RandomProfile(seed: 4)
        for _ in 0..<Self.count {
            let profile = random.any()
            let exported = ExportedProfile(profile, as: format)
            let remarks = exported.remarks.joined(separator: "\n")
            for lane in [Lane.downlink, .uplink] {
                for figure in profile.impairments(of: lane)?.json.members.map(\.name) ?? [] {
                    let isNamed = exported.remarks.contains {
                        $0.contains("left out") && $0.contains(lane.name) && $0.contains(figure)
                    }
                    try #require(
                        isNamed || Self.words(of: figure, format).contains { exported.text.contains($0) },
                        "\(figure): \(exported)"
                    )
                }
            }
            try #require(profile.dns == nil || remarks.contains("the delay of DNS"))
            try #require(profile.seed == nil || remarks.contains("the seed"))
        }
    }

    private static func words(of figure: String, _ format: ExportFormat) -> [String] {
        switch (format, figure) {
        case (.devtools, "rate"): ["Throughput"]
        case (.devtools, "delay"): ["latency"]
        case (.devtools, "loss"): ["packetLoss", "\"offline\": true"]
        case (.toxiproxy, "rate"): ["bandwidth"]
        case (.toxiproxy, "delay"): ["latency"]
        case (.chaosMesh, "delay"): ["latency"]
        case (.pumba, "delay"): ["--time"]
        case (.pumba, "overhead"): ["--packetoverhead"]
        default: [figure]
        }
    }
}
