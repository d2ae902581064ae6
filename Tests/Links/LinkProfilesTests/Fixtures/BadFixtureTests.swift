// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LinkProfiles

/// A line of `expected.tsv`: a file, who refuses it, and what the decoder says about it.
struct BadFixture: CustomTestStringConvertible {
    let file: String
    let kind: String
    let text: String

    var testDescription: String { file }

    static let directory = PackageDirectory.fixtures.appending(path: "bad")

    /// Every line of the list that has three columns.
    static let all: [BadFixture] = lines.compactMap { line in
        let columns = line.split(separator: "\t", maxSplits: 2).map(String.init)
        return columns.count == 3 ? BadFixture(file: columns[0], kind: columns[1], text: columns[2]) : nil
    }

    static let lines: [Substring] = {
        let list = try? String(contentsOf: directory.appending(path: "expected.tsv"), encoding: .utf8)
        return list?.split(separator: "\n") ?? []
    }()

    /// The issues of the file; nil where it is valid after all.
    func issues() throws -> [ProfileIssue]? {
        let bytes = try Data(contentsOf: Self.directory.appending(path: file))
        do throws(InvalidProfile) {
            _ = try Profile(utf8: bytes)
            return nil
        } catch {
            return error.issues
        }
    }
}

@Suite struct BadFixtureTests {
    @Test func everyFileIsListedOnce() {
        #expect(BadFixture.all.count >= 60)
        #expect(BadFixture.all.count == BadFixture.lines.count)
        #expect(BadFixture.all.map(\.file).sorted() == PackageDirectory.jsonNames(in: BadFixture.directory))
    }

    @Test func everyKindIsKnown() {
        for fixture in BadFixture.all {
            #expect(["json", "schema", "decoder"].contains(fixture.kind), "\(fixture.file)")
        }
    }

    @Test(arguments: BadFixture.all)
    func saysWhatIsWrong(fixture: BadFixture) throws {
        let issues = try #require(try fixture.issues()).map(\.withoutPosition)
        #expect(issues.contains { $0.contains(fixture.text) }, "\(issues)")
    }

    @Test(arguments: BadFixture.all)
    func isNeverRefusedWithoutAReason(fixture: BadFixture) throws {
        let issues = try #require(try fixture.issues())
        #expect(!issues.isEmpty)
    }

    @Test(arguments: BadFixture.all)
    func reportsNoIssueTwice(fixture: BadFixture) throws {
        let issues = try #require(try fixture.issues())
        #expect(Set(issues).count == issues.count, "\(issues.map(\.withoutPosition))")
        #expect(
            Set(issues.map { "\($0.path): \($0.problem)" }).count == issues.count,
            "\(issues.map(\.withoutPosition))"
        )
    }

    @Test(arguments: BadFixture.all)
    func reportsIssuesInTheOrderOfTheText(fixture: BadFixture) throws {
        let positions = try #require(try fixture.issues()).map(\.position)
        #expect(positions == positions.sorted())
    }

    @Test(arguments: BadFixture.all.filter { $0.kind == "json" })
    func stopsAtTheFirstMistakeOfTheSyntax(fixture: BadFixture) throws {
        let issues = try #require(try fixture.issues())
        #expect(issues.count == 1)
        #expect(issues.allSatisfy { $0.withoutPosition.hasPrefix("$: not JSON: ") })
    }
}
