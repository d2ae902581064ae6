// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import ProfileCatalog
import Testing

/// The figures that a built-in profile has by its source.
struct SourceFigures: CustomTestStringConvertible {
    /// What the columns hold, of the downlink and then of the uplink.
    static let columns = [
        "rate", "rate up", "delay", "delay up", "jitter", "jitter up", "loss", "loss up", "delay of DNS",
    ]

    let id: String
    let name: String
    let cells: [Double]
    /// Which cells the source does not have so.
    let judged: [Bool]

    init(_ line: Substring) {
        let fields = line.split(separator: " ", maxSplits: 10)
        (id, name) = (String(fields[0]), String(fields[10].drop { $0 == " " }))
        cells = fields[1...9].map { Double($0.drop { $0 == "~" }) ?? .nan }
        judged = fields[1...9].map { $0.hasPrefix("~") }
    }

    static let all = table.split(separator: "\n").map { SourceFigures($0) }

    var testDescription: String { name }
}

struct SourceFigureTests {
    private static func cells(of profile: Profile) -> [Double] {
        func cells(_ value: (Impairments) -> Double?) -> [Double] {
            [profile.downlink, profile.uplink].map { $0.flatMap(value) ?? 0 }
        }
        func milliseconds(_ time: Duration?) -> Double? { time.map { $0 / .milliseconds(1) } }
        return cells { $0.rate.map { Double($0.bitsPerSecond) / 1000 } } + cells { milliseconds($0.delay) }
            + cells { milliseconds($0.jitter?.amount) } + cells { $0.loss.map { $0.meanLoss * 100 } }
            + [milliseconds(profile.dns?.delay) ?? 0]
    }

    /// Half of the last digit that sources give for a loss that is computed from a chain.
    private static let tolerance = 0.005_001

    @Test(arguments: SourceFigures.all)
    func areThoseOfTheSource(figures: SourceFigures) throws {
        let cells = Self.cells(of: try Catalog(directories: []).profile(figures.name).profile)
        for (index, column) in SourceFigures.columns.enumerated() {
            #expect(abs(cells[index] - figures.cells[index]) <= Self.tolerance, "\(column)")
        }
    }

    @Test func areKnownOfEveryBuiltInProfile() {
        let (listed, _) = Catalog(directories: []).all()
        // A broken network has none.
        let conditioned = listed.filter { !$0.isBroken }.map(\.profile)
        #expect(SourceFigures.all.map(\.name).sorted() == conditioned.map(\.name).sorted())
    }

    private static let reference = ProfilesDirectory.url.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "shared/reference/profiles.csv").path(percentEncoded: false)

    /// Where the figures were collected from the sources. Rates of Firefox are in units of 1024, and a round trip is half
    /// each way.
    @Test(
        .enabled("the figures of the sources do not lie beside the package") {
            FileManager.default.isReadableFile(atPath: reference)
        }
    )
    func areThoseThatWereCollected() throws {
        let lines = try String(contentsOfFile: Self.reference, encoding: .utf8).split(separator: "\n").map(Self.fields)
        let rows = Dictionary(lines.dropFirst().map { ($0[0], $0) }) { first, _ in first }
        for figures in SourceFigures.all where figures.id != "-" {
            let row = try #require(rows[figures.id], "\(figures.name)")
            var found = [3, 4, 5, 6, 8, 9, 10, 11, 12].map { Double(row[$0]) }
            if row[2] == "firefox" { found.replaceSubrange(0..<2, with: found[0..<2].map { $0.map { $0 * 1.024 } }) }
            let half = Double(row[7]).map { $0 / 2 }
            (found[2], found[3]) = (found[2] ?? half, found[3] ?? half)
            for (index, column) in SourceFigures.columns.enumerated() where !figures.judged[index] {
                #expect(
                    abs((found[index] ?? 0) - figures.cells[index]) <= Self.tolerance,
                    "\(figures.name): \(column)"
                )
            }
        }
    }

    /// The fields of a line of comma-separated values, of which those in quotes may have commas.
    private static func fields(_ line: Substring) -> [String] {
        line.split(separator: "\"", omittingEmptySubsequences: false).enumerated().reduce(into: [""]) { fields, part in
            let pieces =
                part.offset % 2 == 1
                ? [part.element] : part.element.split(separator: ",", omittingEmptySubsequences: false)
            fields[fields.count - 1] += pieces[0]
            fields += pieces.dropFirst().map(String.init)
        }
    }
}
