// SPDX-License-Identifier: Apache-2.0

import LinkProfiles

extension FuzzTarget {
    static let json = FuzzTarget(
        "json",
        texts: [#"{"a": [1, -2.5e3, "\u00e9\n", true, null], "b": {}}"#, "[]", #""x""#]
    ) { bytes in
        guard let json = try? JSON(utf8: bytes) else { return }
        let copy = try? JSON(utf8: json.text.utf8)
        require(copy?.line == json.line, "\(json.line) is written as \(json.text)")
    }

    static let profile = FuzzTarget(
        "profile",
        texts: [#"{"name": "A", "downlink": {"rate": "1 Mbit/s", "loss": "1 %", "queue": "10 packets"}, "seed": 7}"#]
    ) { bytes in
        guard let profile = try? Profile(utf8: bytes) else { return }
        let copy = try? Profile(utf8: profile.json.text.utf8)
        require(copy == profile, "the profile \(profile) is written as \(profile.json.text)")
    }

    static let scenario = FuzzTarget(
        "scenario",
        texts: [
            #"{"name": "S", "profile": "LTE", "steps": [{"label": "a", "after": {"bytes": "1 kB"}, "profile": "3G"}]}"#
        ]
    ) { bytes in
        guard let scenario = try? Scenario(utf8: bytes) else { return }
        let copy = try? Scenario(utf8: scenario.json.text.utf8)
        require(copy?.json.line == scenario.json.line, "\(scenario) is written as \(scenario.json.text)")
    }

    static let trace = FuzzTarget(
        "trace",
        texts: ["0\n4\n4\n19\n", "# s Mbit/s\n0 1.5\n0.25 0\n3 20\n", "1\t2\r\n2 0\n"]
    ) {
        bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        for format in TraceReference.Format.allCases {
            guard let trace = try? Trace(text, format: format) else { continue }
            _ = trace.meanRate
            require(trace.longestPause <= trace.length, "\(trace) pauses for \(trace.longestPause)")
        }
    }
}
