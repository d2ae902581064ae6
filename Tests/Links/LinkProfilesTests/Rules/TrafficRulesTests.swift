// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LinkProfiles

@Suite struct TrafficRulesTests {
    private static let good = PackageDirectory.rules.appending(path: "good")
    private static let bad = PackageDirectory.rules.appending(path: "bad")

    /// The lines of `expected.tsv`: a file, what refuses it, and a part of what the decoder says.
    private static let rows: [[String]] =
        ((try? String(contentsOf: bad.appending(path: "expected.tsv"), encoding: .utf8)) ?? "")
        .split(separator: "\n").map { $0.split(separator: "\t", maxSplits: 2).map(String.init) }

    private func draft(_ file: URL) throws -> TrafficRulesDraft {
        TrafficRulesDraft(json: try JSON(readable: Data(contentsOf: file)))
    }

    @Test func everyBadFileIsListedOnce() {
        #expect(Self.rows.count >= 15)
        #expect(Self.rows.allSatisfy { $0.count == 3 && ["schema", "decoder"].contains($0[1]) })
        #expect(Self.rows.map { $0[0] }.sorted() == PackageDirectory.jsonNames(in: Self.bad))
    }

    @Test(arguments: rows)
    func saysWhatIsWrongAndNothingElse(row: [String]) throws {
        let issues = try draft(Self.bad.appending(path: row[0])).issues
        #expect(issues.count == 1, "\(issues)")
        #expect(issues.contains { $0.withoutPosition.contains(row[2]) }, "\(issues)")
    }

    @Test func readsEveryKey() throws {
        let draft = try draft(Self.good.appending(path: "every-key.json"))
        #expect(draft.issues.isEmpty)
        #expect(draft.rules.map(\.profile.name) == ["Near", "Slow Net", "./near.json"])
        let first = try #require(draft.rules.first)
        #expect(first.ends.remotes == [.name("api.test")])
        #expect(first.ends.ports == [80, 443])
        #expect(first.ends.protocols == [.tcp, .udp])
        #expect(first.exclusions.ports == [443])
        #expect(first.exclusions.protocols == [.udp])
        #expect(draft.rules[1].ends.isEmpty)
        #expect(draft.rules[1].exclusions.ports == [53])
    }

    @Test func areToldFromProfilesAndScenarios() throws {
        for (text, isDescribed) in [
            (#"{"rules": []}"#, true), (#"{"name": "x", "rules": []}"#, false), (#"{"name": "x", "steps": []}"#, false),
        ] {
            #expect(TrafficRulesDraft.isDescribed(by: try JSON(readable: Data(text.utf8))) == isDescribed, "\(text)")
        }
    }
}
