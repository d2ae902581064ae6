// SPDX-License-Identifier: Apache-2.0

import ProfileFormats
import Testing

/// Texts that make no sense: refused with the place and the reason.
@Suite struct RefusedTextTests {
    private static let toxic = #"[{"type": "latency", "stream": "downstream", "attributes": {"latency": 5}}]"#

    @Test(
        arguments: [
            (
                Samples.atc.replacing("\"rate\": 240", with: "\"rate\": -240"),
                "5:86: $.shaping.down.rate: \"-240\" is below 0"
            ),
            (Samples.atc.replacing("\"percentage\": 1 ", with: "\"percentage\": 101 "), "\"101\" is more than 100 %"),
            (Samples.atc.replacing("\"delay\": 400", with: "\"delay\": 4e9"), "\"4e9\" is more than 1 h"),
            (Samples.atc.replacing("\"delay\": 400", with: "\"delay\": [1]"), "found an array; expected a number"),
            (Samples.atc.replacing("240", with: "\"fast\""), "\"fast\" is not a number"),
            (Samples.atc.replacing("240", with: "1e999"), "is more than 10 Tbit/s"),
            (Samples.atc.replacing("240", with: "1e-9"), "is less than 1 bit/s"),
            (Samples.atc.replacing("Edge - Lossy", with: "a/b"), "$.name"),
            (
                Samples.webpagetest.replacing("bwIn=5000000", with: "bwIn=5M"),
                "line 4: [Cable] bwIn: \"5M\" has the unit \"M\""
            ),
            (Samples.webpagetest.replacing("[DSL]", with: "[Cable]"), "line 9: a second section [Cable]"),
            (Samples.webpagetest.replacing("plr=0", with: "plr"), "found \"plr\"; expected KEY=VALUE"),
            (Samples.nlc.replacing("</plist>", with: ""), "expected </plist>"),
            (Samples.nlc.replacing("<integer>780</integer>", with: "<integer>780</real>"), "expected </integer>"),
            (Samples.nlc.replacing("<integer>780</integer>", with: "<integer>x</integer>"), "\"x\" is not a number"),
            ("bplist00\u{1}", "plutil -convert xml1"),
            ("comcast --latency=1h", "--latency: \"1h\" has the unit \"h\""),
            ("comcast --packet-loss=-1", "--packet-loss: \"-1\" is below 0"),
            ("comcast --stop", "--stop: ends conditions"),
            ("throttle 3g", "one of throttle's own profiles"),
            ("throttle --up", "--up: has no value"),
            (Self.toxic.replacing("downstream", with: "sideways"), "\"sideways\" is neither upstream nor downstream"),
            (
                Self.toxic.replacing("}]", with: "}, {\"type\": \"latency\", \"attributes\": {}}]"),
                "a second latency toxic"
            ),
            (#"[{"type": "bandwidth", "attributes": {"rate": 0}}]"#, "a bandwidth toxic without a rate"),
            ("qdisc netem 1: dev d root limit 1000 loss 200%", "line 1: loss: \"200%\" is more than 100 %"),
            ("qdisc netem 1: dev d root delay 5ms\nqdisc netem 2: dev d parent 1: delay 5ms", "line 2: a second netem"),
            ("qdisc fq_codel 0: dev d root limit 1", "no netem and no tbf"),
            ("qdisc netem 1: dev d root loss gemodel p 1% r", "a loss model without all of its figures"),
            (#"{"eth0": {"outgoing": {"a": {"delay": "1ms"}, "b": {"delay": "2ms"}}}}"#, "2 rules; a profile is one"),
        ] as [(String, String)]
    )
    func sayWhereAndWhy(text: String, reason: String) {
        let name: String? = text.contains("plist version") ? "3G" : text.contains("bwIn") ? "Cable" : nil
        let failure = ImportedProfile.failure(text, name: name)
        #expect(failure?.description.contains(reason) == true, "\(failure.map(\.description) ?? "accepted")")
    }

    @Test(arguments: ["", "hello", "{}", "[]", "{", "<html>", "1", "{\"a\": 1}", "key=value"])
    func areNoFormat(text: String) {
        #expect(ImportedProfile.failure(text) == .unknownFormat)
        for format in ImportFormat.allCases {
            let imported = try? ImportedProfile.read(text, format: format)
            #expect(
                imported == nil || imported?.remarks.contains { $0.contains("conditions nothing") } == true,
                "\(format)"
            )
        }
    }

    @Test func tellAProfileFromOtherFormats() {
        #expect(ImportedProfile.failure(#"{"name": "A", "downlink": {"delay": "1 ms"}}"#) == .isProfile)
    }
}
