// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LinkProfiles

@Suite struct ScenarioFixtureTests {
    private static let good = PackageDirectory.scenarios.appending(path: "good")
    private static let bad = PackageDirectory.scenarios.appending(path: "bad")

    /// The lines of `expected.tsv`: a file, what refuses it, and a part of what the decoder says.
    private static let rows: [[String]] =
        ((try? String(contentsOf: bad.appending(path: "expected.tsv"), encoding: .utf8)) ?? "")
        .split(separator: "\n").map { $0.split(separator: "\t", maxSplits: 2).map(String.init) }

    private func issues(_ file: String) throws -> [ProfileIssue] {
        let bytes = try Data(contentsOf: Self.bad.appending(path: file))
        do throws(InvalidProfile) {
            _ = try Scenario(utf8: bytes)
            return []
        } catch {
            return error.issues
        }
    }

    @Test func everyBadFileIsListedOnce() {
        #expect(Self.rows.count >= 50)
        #expect(Self.rows.allSatisfy { $0.count == 3 && ["json", "schema", "decoder"].contains($0[1]) })
        #expect(Self.rows.map { $0[0] }.sorted() == PackageDirectory.jsonNames(in: Self.bad))
    }

    @Test(arguments: rows)
    func saysWhatIsWrong(row: [String]) throws {
        let issues = try issues(row[0])
        #expect(issues.contains { $0.withoutPosition.contains(row[2]) }, "\(issues)")
        #expect(Set(issues).count == issues.count, "\(issues)")
        #expect(issues.map(\.position) == issues.map(\.position).sorted())
    }

    /// One mistake a file, so that no mistake makes the reader report others that are not there.
    @Test(arguments: rows.map { $0[0] }.filter { !["step-without-keys.json", "unknown-key-twice.json"].contains($0) })
    func reportsNothingElse(file: String) throws {
        let issues = try issues(file)
        #expect(issues.count == 1, "\(issues)")
    }

    @Test(arguments: PackageDirectory.jsonNames(in: good))
    func readsBackWhatItWrites(file: String) throws {
        let scenario = try Scenario(utf8: try Data(contentsOf: Self.good.appending(path: file)))
        let copy = try Scenario(utf8: scenario.json.text.utf8)
        #expect(copy.json.text == scenario.json.text)
        #expect(copy.steps.map(\.label) == scenario.steps.map(\.label))
        #expect(copy.steps.map(\.after) == scenario.steps.map(\.after))
        #expect(copy.references.map(\.choice) == scenario.references.map(\.choice))
        #expect(copy.repeat == scenario.repeat)
        #expect(copy.summary == scenario.summary)
        #expect(copy.expect.map(\.text) == scenario.expect.map(\.text))
    }

    @Test func readsEveryKey() throws {
        let scenario = try Scenario(utf8: try Data(contentsOf: Self.good.appending(path: "every-key.json")))
        #expect(scenario.name == "Every key")
        #expect(scenario.summary == "Each trigger once")
        #expect(scenario.repeat == 3)
        #expect(
            scenario.steps.map(\.after)
                == [
                    .time(.milliseconds(1500)), .bytes(ByteCount(bytes: 65_536)), .connections(2), .mark("back"),
                    .time(.zero),
                ]
        )
        #expect(scenario.references.map(\.name) == ["Near", "Far", "slow-net", "Black Hole", "3G", "LTE"])
        #expect(scenario.expect.map(\.text) == ["leaves no connection open"])
    }
}
