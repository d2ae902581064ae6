// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import Testing

/// A drive through an LTE network, recorded by the authors of mahimahi.
@Suite(
    .enabled("the recording does not lie beside the package") {
        FileManager.default.fileExists(atPath: PackageDirectory.recording.path(percentEncoded: false))
    }
)
struct RecordedTraceTests {
    private let trace: Trace

    init() throws {
        trace = try Trace(String(contentsOf: PackageDirectory.recording, encoding: .utf8), format: .mahimahi)
    }

    @Test func hasAnOpportunityForEveryLine() {
        guard case .opportunities(let stamps) = trace.content else {
            Issue.record("no opportunities")
            return
        }
        #expect(stamps.count == 45_604)
    }

    @Test func lastsTwoMinutes() {
        #expect(abs(Double(trace.length.nanoseconds) / 1e9 - 120) < 0.05)
    }

    @Test func carriesFourAndAHalfMegabits() throws {
        let rate = try #require(trace.meanRate)
        #expect(abs(Double(rate.bitsPerSecond) / 1e6 - 4.56) < 0.005)
    }

    @Test func pausesForMoreThanASecond() {
        #expect(trace.longestPause == .milliseconds(1123))
    }
}
