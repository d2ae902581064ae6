// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LinkProfiles

@Suite struct PopulationTests {
    private static let good = PackageDirectory.populations.appending(path: "good")
    private static let bad = PackageDirectory.populations.appending(path: "bad")

    /// The lines of `expected.tsv`: a file, what refuses it, and a part of what the decoder says.
    private static let rows: [[String]] =
        ((try? String(contentsOf: bad.appending(path: "expected.tsv"), encoding: .utf8)) ?? "")
        .split(separator: "\n").map { $0.split(separator: "\t", maxSplits: 2).map(String.init) }

    @Test func everyBadFileIsListedOnce() {
        #expect(Self.rows.count >= 15)
        #expect(Self.rows.allSatisfy { $0.count == 3 && ["schema", "decoder"].contains($0[1]) })
        #expect(Self.rows.map { $0[0] }.sorted() == PackageDirectory.jsonNames(in: Self.bad))
    }

    @Test(arguments: rows)
    func saysWhatIsWrongAndNothingElse(row: [String]) throws {
        let bytes = try Data(contentsOf: Self.bad.appending(path: row[0]))
        let error = try #require(throws: InvalidProfile.self) { try Population(utf8: bytes) }
        #expect(error.issues.count == 1, "\(error.issues)")
        #expect(error.issues.contains { $0.withoutPosition.contains(row[2]) }, "\(error.issues)")
    }

    @Test func readsEveryKeyAndReadsBackWhatItWrites() throws {
        let population = try Population(utf8: Data(contentsOf: Self.good.appending(path: "every-key.json")))
        #expect(population.name == "Every key" && population.source == "judgement")
        #expect(population.networks.map(\.profile.text) == ["LTE", "./own.json", "NAT Rebinding"])
        #expect(population.networks.map { "\($0.share)" } == ["33.3 %", "33.3 %", "33.3 %"])
        #expect(try Population(utf8: population.json.text.utf8).json.text == population.json.text)
    }

    @Test func reportsAllMistakesAtOnceEachAtItsPlace() throws {
        let text = """
            {
              "name": "a/b",
              "networks": [
                { "profile": "LTE", "share": "5" },
                { "profil": "3G", "share": "95 %" }
              ]
            }
            """
        let error = try #require(throws: InvalidProfile.self) { try Population(utf8: text.utf8) }
        #expect(error.issues.map { "\($0.position.line):\($0.position.column)" } == ["2:11", "4:34", "5:7"])
        #expect(error.issues.last?.suggestion == "profile")
    }

    /// A tenth of a percent is rounding: three thirds are 99.9 %.
    @Test(arguments: [("99.9 %", true), ("99.89 %", false), ("50 %", false)])
    func acceptsASumThatIsRounded(share: String, isAccepted: Bool) {
        let text = #"{"name": "x", "networks": [{"profile": "LTE", "share": "\#(share)"}]}"#
        #expect(((try? Population(utf8: text.utf8)) != nil) == isAccepted)
    }

    @Test func isToldFromOtherFiles() throws {
        let population = try JSON(readable: #"{"name": "x", "networks": []}"#.utf8)
        #expect(Population.isDescribed(by: population))
        #expect(!Population.isDescribed(by: try JSON(readable: #"{"name": "x", "steps": []}"#.utf8)))
        let error = try #require(throws: InvalidProfile.self) { try Profile(json: population) }
        #expect(error.issues.map(\.withoutPosition) == ["$: this is a population; expected a profile"])
    }
}
