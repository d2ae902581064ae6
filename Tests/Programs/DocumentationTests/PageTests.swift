// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import TestKit
import Testing

/// Holds what the pages show to what the package has.
@Suite struct PageTests {
    @Test func findsThePages() {
        #expect(Document.all.count >= 25)
    }

    @Test func keepsTheREADMEShort() throws {
        #expect(try Document("README.md").text.utf8.count <= 10_000)
    }

    /// What stands between "// begin NAME" and "// end NAME" in the sample files, which this target compiles.
    private static func samples() throws -> [String: String] {
        var samples: [String: String] = [:]
        for path in try Files.below("Tests/Programs/DocumentationTests/Samples", suffix: ".swift") {
            var name: String?
            for line in try Files.text(path).split(separator: "\n", omittingEmptySubsequences: false) {
                if line.hasPrefix("// begin ") {
                    name = String(line.dropFirst(9))
                } else if line.hasPrefix("// end ") {
                    name = nil
                } else if let name {
                    samples[name, default: ""] += line + "\n"
                }
            }
        }
        return samples
    }

    @Test(arguments: Document.all)
    func showsCodeThatIsCompiled(page: Document) throws {
        let samples = try Self.samples()
        for block in page.blocks where block.language == "swift" {
            #expect(block.mark?.kind == "sample", "code without <!-- sample: NAME -->:\n\(block.text)")
            let sample = samples[block.mark?.name ?? ""]
            #expect(block.text == sample, "the block differs from the sample \(block.mark?.name ?? "")")
        }
    }

    @Test func showsEverySample() throws {
        let shown = Document.all.flatMap(\.blocks).compactMap(\.mark).filter { $0.kind == "sample" }.map(\.name)
        #expect(try Set(shown) == Set(Self.samples().keys))
    }

    @Test(arguments: Document.all)
    func showsFilesThatAreValid(page: Document) throws {
        for block in page.blocks where block.language == "json" {
            let json = try JSON(utf8: block.text.utf8)
            #expect(throws: Never.self, "\(block.text)") {
                if Scenario.isDescribed(by: json) {
                    _ = try Scenario(json: json)
                } else if TrafficRulesDraft.isDescribed(by: json) {
                    let issues = TrafficRulesDraft(json: json).issues
                    if !issues.isEmpty { throw InvalidProfile(issues: issues) }
                } else if Population.isDescribed(by: json) {
                    _ = try Population(json: json)
                } else {
                    _ = try Profile(json: json)
                }
            }
        }
    }

    /// The reasons stand in the module as `Reason(.path, "blackHole")`.
    @Test func explainsEachReasonOfTheMonitor() throws {
        let source = try Files.text("Sources/Measuring/Probing/Reason.swift")
        let reasons = source.matches(of: /Reason\(\.(\w+), "(\w+)"\)/).map { "\($0.1).\($0.2)" }
        let page = try #require(Document.guide.first { $0.name == "monitor" })
        let rows = page.text.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let told = rows.flatMap { $0.split(separator: "|")[0].matches(of: /`(\w+\.\w+)`/).map { String($0.1) } }
        #expect(reasons.count >= 60)
        #expect(Set(told).isSuperset(of: reasons), "\(Set(reasons).subtracting(told).sorted())")
    }

    @Test(arguments: Document.all)
    func namesScriptsThatExist(page: Document) {
        for match in page.text.matches(of: /\bscripts\/[a-z-]+/) {
            let path = Package.directory.appending(path: String(match.0)).path(percentEncoded: false)
            #expect(FileManager.default.isExecutableFile(atPath: path), "\(match.0)")
        }
    }
}
