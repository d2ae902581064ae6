// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import PacketMirror

@Suite struct MirrorReportTests {
    @Test func readsWhatItWrites() {
        let report = MirrorReport(name: "m0", index: 7, source: "eth0", began: 5, packets: 3, dropped: 1)
        let text =
            #"{ "name": "m0", "index": 7, "source": "eth0", "began": 5, "packets": 3, "dropped": 1 }"#
        #expect(report.json.line == text)
        #expect(MirrorReport(json: report.json) == report && MirrorReport(json: JSON()) == nil)
    }
}
