// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkEmulation
import LinkProfiles
import TestKit
import Testing

@Suite struct RecordedTraceTests {
    /// The bytes sent in each second of a loaded link, and the bytes that the recording allows.
    private static func secondsOf(
        _ trace: Trace,
        seconds: Int,
        packetsPerSecond: Int
    ) -> [(sent: Int, possible: Int)] {
        guard case .opportunities(let stamps) = trace.content else { return [] }
        let reference = TraceReference(file: "trace", format: .mahimahi)
        var impairments = Impairments()
        impairments.trace = reference
        // Long enough never to be empty, small enough to be sent.
        impairments.queue = .packets(2000)
        let conditions = LaneConditions(impairments, traces: [reference: trace])
        var pipeline = LinkPipeline(conditions, seed: 1, start: LinkTime(nanoseconds: 0))
        var dice = SeededGenerator(seed: 5)
        let end = LinkTime(nanoseconds: Int64(seconds) * 1_000_000_000)
        let sizes = (0..<1000).map { _ in Int.random(in: 60...1514, using: &dice) }
        let arrivals = (0..<seconds * packetsPerSecond).lazy.map { index in
            LinkPipeline.Arrival(
                time: LinkTime(nanoseconds: Int64(index) * 1_000_000_000 / Int64(packetsPerSecond)),
                frameBytes: sizes[index % sizes.count]
            )
        }
        var windows = [(sent: Int, possible: Int)](repeating: (0, 0), count: seconds)
        pipeline.simulate(arrivals) { departure in
            guard departure.drop == nil, departure.due < end else { return }
            // mahimahi counts a packet and 4 bytes.
            windows[Int(departure.due.nanoseconds / 1_000_000_000)].sent += sizes[Int(departure.tag) % 1000] - 10
        }
        let length = Int(stamps.last ?? 1)
        for round in 0...(seconds * 1000 / length) {
            for stamp in stamps {
                let second = (round * length + Int(stamp)) / 1000
                // The first chance of all comes before the first packet, where it is at 0.
                if second < seconds, round > 0 || stamp > 0 { windows[second].possible += 1504 }
            }
        }
        return windows
    }

    /// A packet may begin in the previous second, or end in the next.
    private static func expectAgreement(_ windows: [(sent: Int, possible: Int)]) {
        for (second, window) in windows.enumerated() {
            let tolerance = max(0.01 * Double(window.possible), 1504)
            #expect(abs(Double(window.sent - window.possible)) <= tolerance, "second \(second)")
        }
    }

    @Test func deliversASyntheticRecordingThroughItsPauses() throws {
        var dice = SeededGenerator(seed: 11)
        var stamps: [Int] = []
        var time = 0
        while time < 20_000 {
            // About 9 Mbit/s with silences, in the middle one of 78 s.
            time += Int.random(in: 0..<60, using: &dice) == 0 ? Int.random(in: 1...400, using: &dice) : 1
            for _ in 0..<Int.random(in: 0...2, using: &dice) { stamps.append(time) }
        }
        stamps = stamps.map { $0 < 10_000 ? $0 : $0 + 78_000 }
        let trace = try Trace(stamps.map(String.init).joined(separator: "\n"), format: .mahimahi)
        let windows = Self.secondsOf(trace, seconds: 220, packetsPerSecond: 3000)
        #expect(windows.count { $0.possible == 0 } > 150)
        Self.expectAgreement(windows)
    }

    /// Recordings are too large, and not ours, to lie in the repository: LINKCOND_TRACES names a directory of them.
    @Test(.enabled(if: recordings != nil, "LINKCOND_TRACES names no directory of mahimahi traces"))
    func deliversRecordings() throws {
        let directory = try #require(Self.recordings)
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        let traces = files.filter { ["up", "down"].contains($0.pathExtension) }
        #expect(!traces.isEmpty)
        for file in traces {
            let trace = try Trace(String(contentsOf: file, encoding: .utf8), format: .mahimahi)
            Self.expectAgreement(Self.secondsOf(trace, seconds: 130, packetsPerSecond: 8000))
        }
    }

    private static let recordings = ProcessInfo.processInfo.environment["LINKCOND_TRACES"].map { URL(filePath: $0) }
}
