// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Writes toxics of toxiproxy, each to be added to a proxy.
enum ToxiproxyExport {
    static func text(_ profile: Profile, _ remarks: inout ExportRemarks) -> String {
        var toxics: [JSON] = []
        for (lane, stream) in [(Lane.downlink, "downstream"), (.uplink, "upstream")] {
            guard let figures = profile.impairments(of: lane) else { continue }
            if figures.delay != nil || figures.jitter != nil {
                let delay = milliseconds(figures.delay ?? .zero, "the delay of the \(lane)", &remarks)
                let jitter = milliseconds(figures.jitter?.amount ?? .zero, "the jitter of the \(lane)", &remarks)
                toxics.append(toxic("latency", stream, JSON(("latency", .number(delay)), ("jitter", .number(jitter)))))
                if let jitter = figures.jitter, jitter.distribution != .uniform || !jitter.ordered {
                    remarks.add("the jitter of the \(lane) is uniform and in order in toxiproxy")
                }
            }
            if let rate = figures.rate {
                // toxiproxy's rates are in kB/s.
                let kilobytes = max((rate.bitsPerSecond + 4000) / 8000, 1)
                if kilobytes * 8000 != rate.bitsPerSecond {
                    remarks.rounded("the rate of the \(lane)", "\(rate)", to: "\(kilobytes) kB/s")
                }
                toxics.append(toxic("bandwidth", stream, JSON(("rate", .number(kilobytes)))))
            }
        }
        remarks.leaveOut(in: "toxiproxy") { _, figure in ["rate", "delay", "jitter"].contains(figure) }
        if toxics.isEmpty { remarks.add("no toxic says anything of this profile") }
        return JSON.list(toxics).text
    }

    private static func milliseconds(_ time: Duration, _ what: String, _ remarks: inout ExportRemarks) -> Int64 {
        let whole = (time.nanoseconds + 500_000) / 1_000_000
        if whole * 1_000_000 != time.nanoseconds { remarks.rounded(what, time.text, to: "\(whole) ms") }
        return whole
    }

    private static func toxic(_ type: String, _ stream: String, _ attributes: JSON) -> JSON {
        JSON(
            ("name", .text("\(type)_\(stream)")),
            ("type", .text(type)),
            ("stream", .text(stream)),
            ("toxicity", 1),
            ("attributes", attributes)
        )
    }
}
