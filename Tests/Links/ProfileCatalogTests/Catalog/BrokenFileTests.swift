// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import ProfileCatalog
import Testing

@Suite struct BrokenFileTests {
    private let directory: TemporaryDirectory
    private let catalog: Catalog

    init() throws {
        directory = try TemporaryDirectory()
        catalog = Catalog(directories: [directory.path])
    }

    private func error(_ word: String) -> CatalogError? {
        CatalogError.thrown { () throws(CatalogError) in try catalog.profile(word) }
    }

    @Test(arguments: ["office", "OFFICE", "Off-ice"])
    func isReportedWhereItsNameIsTheOneWanted(word: String) throws {
        let file = try directory.write("{ \"name\": \"Office\", \"dealy\": 1 }", to: "office.json")
        guard case .invalid(let path, let invalid) = error(word) else {
            Issue.record("\(String(describing: error(word)))")
            return
        }
        #expect(path == file)
        #expect(invalid.issues.map(\.path.description) == ["$.dealy"])
    }

    @Test func isReportedBeforeABuiltInProfileOfTheName() throws {
        try directory.write("{", to: "slow-net.json")
        guard case .invalid = error("Slow Net") else {
            Issue.record("\(String(describing: error("Slow Net")))")
            return
        }
    }

    /// Opening a pipe would block until it has a writer.
    @Test func isReportedIfItIsNotARegularFile() throws {
        #expect(mkfifo("\(directory.path)/office.json", 0o644) == 0)
        #expect(try catalog.profile("Slow Net").profile.name == "Slow Net")
        guard case .unreadable(let file) = error("Office") else {
            Issue.record("\(String(describing: error("Office")))")
            return
        }
        #expect(file.description.hasSuffix("office.json: not a regular file"))
    }

    @Test func doesNotAffectOthers() throws {
        try directory.write("{", to: "broken.json")
        try directory.writeProfile("Office", summary: "own", to: "office.json")
        #expect(try catalog.profile("office").profile.summary == "own")
        #expect(try catalog.profile("Slow Net").origin == .builtIn)
        guard case .unknownName = error("attic") else {
            Issue.record("\(String(describing: error("attic")))")
            return
        }
    }

    @Test func doesNotHideAProfileThatHasTheName() throws {
        try directory.write("{", to: "office.json")
        try directory.writeProfile("Office", summary: "own", to: "other.json")
        #expect(try catalog.profile("office").profile.summary == "own")
    }

    @Test func isListedAsAMistake() throws {
        let file = try directory.write("{\n  \"name\": \"x\",\n  \"dealy\": 1,\n  \"rat\": 2\n}", to: "broken.json")
        let (profiles, mistakes) = catalog.all()
        #expect(profiles.count == Catalog(directories: []).all().profiles.count)
        #expect(mistakes.count == 1)
        let lines = mistakes.map { "\($0)" }.joined().split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("\(file):3:3: $.dealy: unknown key") == true)
        #expect(lines.last?.hasPrefix("\(file):4:3: $.rat: unknown key") == true)
    }
}
