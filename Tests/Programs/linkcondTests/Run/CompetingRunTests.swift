// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import TestKit
import Testing

/// Traffic of others beside a command's own.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct CompetingRunTests {
    @Test func isToldOfInTheReportAndAtTheEnd() throws {
        let files = try TemporaryDirectory()
        let link = ["--offline", "--rate", "2 Mbit/s", "--competing", "bulk up", "--report", "\(files.path)/report"]
        let ping = ["ping", "-q", "-c", "60", "-i", "0.05", "-W", "1", "127.0.0.1"]
        let result = try Program.start([Program.path, "run"] + link + ["--"] + ping)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("competing traffic of the uplink: packets waited behind others: "), "\(result)")
        let report = try JSON(utf8: Array(try files.read("report/report.json").utf8))
        guard case .array(let parts)? = report["conditions"]?.value else { throw TestFailure("no conditions") }
        let part = try #require(parts.first { $0.required("part") == "competing traffic of the uplink" })
        let effect: String = try #require(part.required("effect"))
        let percent = try #require(effect.split { !$0.isNumber }.first.flatMap { Int($0) })
        #expect(percent > 20, "\(effect)")
        #expect(!parts.contains { $0.required("part") == "competing traffic of the downlink" })
    }

    @Test func beginsAndEndsWithAStep() throws {
        let files = try TemporaryDirectory()
        let link = #""uplink": { "rate": "2 Mbit/s", "queue": "300 ms""#
        let alone = "{ \"name\": \"Alone\", \(link) } }"
        let shared = "{ \"name\": \"Shared\", \(link), \"competing\": { \"bulk\": 1 } } }"
        let scenario = """
            { "name": "Somebody uploads", "profile": \(alone), "steps": [
              { "label": "upload", "after": "2 s", "profile": \(shared) },
              { "label": "quiet again", "after": "4 s", "profile": \(alone) }] }
            """
        let file = try files.write("scenario.json", scenario)
        let ping = ["ping", "-c", "80", "-i", "0.1", "-W", "2", "127.0.0.1"]
        let result = try Program.start([Program.path, "run", "--offline", "--scenario", file.path, "--"] + ping)
        try result.requireSuccess()
        var times: [Int: Double] = [:]
        for match in result.output.matches(of: #/icmp_seq=(\d+) .*time=([\d.]+) ms/#) {
            times[Int(match.1) ?? 0] = Double(match.2)
        }
        func median(_ numbers: ClosedRange<Int>) throws -> Double {
            let sorted = numbers.compactMap { times[$0] }.sorted()
            try #require(sorted.count > 5)
            return sorted[sorted.count / 2]
        }
        // The first second of the upload is its slow start.
        let (before, during, after) = (try median(1...18), try median(32...58), try median(64...80))
        #expect(during > 2 * before && during > 2 * after, "\(before) \(during) \(after)")
    }
}
