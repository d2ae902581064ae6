// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import TestKit
import Testing

/// The round trips in the report of a real run.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct RoundTripReportTests {
    /// The client of a download sends acknowledgements only. What a server's application takes is no round trip.
    @Test func tellsTheRoundTripsOfADownloadAndOfAPause() throws {
        try Measurements.settle(stillness: 10) { try fault() }
    }

    /// What a busy machine may have made late; nil for nothing.
    private func fault() throws -> String? {
        let files = try TemporaryDirectory()
        let link = ["--offline", "--uplink", "delay=50 ms", "--downlink", "delay=30 ms, rate=2 Mbit/s"]
        let client = ["/usr/bin/python3", "-c", Script("round-trips.py").text]
        try Program.start([Program.path, "run"] + link + ["--report", "\(files.path)/report", "--"] + client)
            .requireSuccess()
        let report = try JSON(utf8: Array(try files.read("report/report.json").utf8))
        let timeline = try #require(report["timeline"])
        guard case .array(let connections)? = timeline["connections"]?.value, connections.count == 2 else {
            throw TestFailure("two connections, not \(timeline["connections"]?.text ?? "none")")
        }
        let download = try #require(Trips(connections[0]["roundTrips"]))
        #expect(download.count >= 20)
        // The link's 80 ms, and then the time that data waits in its queue.
        #expect(download.minimum >= 80, "\(download)")
        #expect(download.median > download.minimum && download.maximum >= 2 * download.minimum, "\(download)")
        let pause = try #require(Trips(connections[1]["roundTrips"]))
        #expect(pause.minimum >= 80, "\(pause)")
        let all = try #require(Trips(timeline["roundTrips"]))
        #expect(all.count == download.count + pause.count && all.maximum == download.maximum)
        #expect(try files.read("report/report.html").contains("Round trips: median "))
        let isInTime = download.minimum < 110 && pause.minimum < 110 && pause.maximum < 1000
        return isInTime ? nil : "\(download) \(pause)"
    }
}

/// Round trips as report.json has them, in milliseconds.
private struct Trips {
    let count: Int
    let minimum, median, maximum: Double

    init?(_ json: JSON?) {
        let milliseconds = { (name: String) -> Double? in
            guard case .number(let text)? = json?[name]?.value else { return nil }
            return Double(text).map { $0 * 1000 }
        }
        guard let count: Int = json?.required("count"), let minimum = milliseconds("least"),
            let median = milliseconds("median"), let maximum = milliseconds("most")
        else { return nil }
        (self.count, self.minimum, self.median, self.maximum) = (count, minimum, median, maximum)
    }
}
