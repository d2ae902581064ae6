// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import ProfileCatalog
import Testing

@Suite struct ProfilePathTests {
    private let directory: TemporaryDirectory
    private let catalog = Catalog(directories: [])

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func error(_ word: String) -> CatalogError? {
        CatalogError.thrown { () throws(CatalogError) in try catalog.profile(word) }
    }

    @Test func aWordWithASlashIsAPath() throws {
        let file = try directory.writeProfile("Office", summary: "own", to: "office.profile")
        let loaded = try catalog.profile(file)
        #expect(loaded.profile.name == "Office")
        #expect(loaded.origin == .file(file))
        #expect("\(loaded.origin)" == file)
    }

    @Test func aWordEndingInJSONIsAPath() {
        let error = error("slow-net-that-is-not-here.json")
        #expect(error?.systemCode == ENOENT)
    }

    @Test func aPathIsNotLookedUpInDirectories() throws {
        try directory.writeProfile("Office", summary: "own", to: "office.json")
        let catalog = Catalog(directories: [directory.path])
        #expect(throws: CatalogError.self) { try catalog.profile("office.json") }
        #expect(throws: CatalogError.self) { try catalog.profile("./office.json") }
    }

    @Test func aFileThatIsMissingIsNamed() {
        let file = "\(directory.path)/absent.json"
        #expect(error(file).map { "\($0)" } == "cannot read \(file): No such file or directory")
    }

    @Test func aDirectoryIsNoProfile() throws {
        let path = try directory.makeDirectory("office.json")
        #expect(error(path)?.systemCode == EISDIR)
    }

    @Test func aFileOnTheWayIsNoDirectory() throws {
        let file = try directory.writeProfile("Office", summary: "own", to: "office.json")
        #expect(error("\(file)/x.json")?.systemCode == ENOTDIR)
    }

    @Test func aMebibyteIsTheLimit() throws {
        let profile = "{ \"name\": \"Large\" }"
        let padding = String(repeating: " ", count: Profile.maximumBytes - profile.utf8.count)
        let largest = try directory.write(profile + padding, to: "largest.json")
        #expect(try catalog.profile(largest).profile.name == "Large")
        let larger = try directory.write(profile + padding + " ", to: "larger.json")
        #expect(error(larger).map { "\($0)" } == "cannot read \(larger): larger than 1048576 bytes")
        #expect(error(larger)?.systemCode == nil)
    }

    @Test func anEndlessFileEndsAtTheLimit() {
        #expect(error("/dev/zero").map { "\($0)" } == "cannot read /dev/zero: larger than 1048576 bytes")
    }

    @Test func anEmptyFileIsNoProfile() {
        #expect(
            error("/dev/null").map { "\($0)" } == "/dev/null:1:1: $: not JSON: the text is empty; expected an object"
        )
    }

    @Test(.enabled("root may read everything") { geteuid() != 0 })
    func aFileWithoutPermissionIsNotRead() throws {
        let file = try directory.writeProfile("Office", summary: "own", to: "office.json")
        try #require(chmod(file, 0) == 0)
        #expect(error(file)?.systemCode == EACCES)
    }
}
