// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
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
        texts: [
            #"{"name": "A", "downlink": {"rate": "1 Mbit/s", "loss": "1 %", "queue": "10 packets"}, "seed": 7}"#,
            #"{"name": "B", "uplink": {"rate": "1 Mbit/s", "queue": "cake", "competing": "2 bulk+call 1 kbit/s"}}"#,
            #"{"name": "C", "uplink": {"rate": "1 Mbit/s", "ecn": true, "queue": {"size": "1 s", "discipline": "#
                + #""fq_codel", "target": "5 ms", "interval": "90 ms", "quantum": 300, "flows": 16}}}"#,
            #"{"name": "D", "uplink": {"rate": "1 Mbit/s", "queue": {"discipline": "dualpi2", "update": "16 ms", "#
                + #""step": "1 ms", "coupling": 2}, "competing": [{"video": "1 Mbit/s", "count": 2, "start": "1 s", "#
                + #""end": "2 s"}, {"web": "3 pages a minute", "page": "9 kB", "connections": 2, "roundTrip": "9 ms", "#
                + #""congestion": "reno"}]}}"#,
            #"{"name": "E", "uplink": {"rate": "1 Mbit/s", "queue": {"discipline": "pie", "burst": "1 ms"}}, "#
                + #""schedule": {"steps": [{"at": "1 s", "uplink": {"queue": {"size": "9 kB"}}}]}}"#,
        ]
    ) { bytes in
        guard let profile = try? Profile(utf8: bytes) else { return }
        let copy = try? Profile(utf8: profile.json.text.utf8)
        require(copy == profile, "the profile \(profile) is written as \(profile.json.text)")
        for lane in Lane.allCases { carry(profile, lane) }
    }

    /// Sends a few packets over a lane that is managed or shared. Hundreds of flows would only take time.
    private static func carry(_ profile: Profile, _ lane: Lane) {
        guard let figures = profile.impairments(of: lane), figures.queueManagement != nil || figures.competing != nil,
            figures.competing?.reduce(0, { $0 + $1.count }) ?? 0 <= 4
        else { return }
        var pipeline = LinkPipeline(LaneConditions(profile, lane), seed: 1, start: LinkTime(nanoseconds: 0))
        let arrivals = (0..<20).map {
            LinkPipeline.Arrival(time: LinkTime(nanoseconds: $0 * 5_000_000), frameBytes: 1514, ecn: .classic)
        }
        var ended = 0
        pipeline.simulate(arrivals) { if $0.copy == 0 { ended += 1 } }
        require(ended <= arrivals.count, "\(ended) packets left of \(arrivals.count)")
        if let competition = pipeline.competition {
            require(competition.behindOthers <= competition.delay + 1e-6, "\(competition) is no part")
        }
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
