// SPDX-License-Identifier: Apache-2.0

import Glibc
import ProfileCatalog
import Testing

@Suite struct UnreadableDirectoryTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func aMissingDirectoryIsSkipped() throws {
        let file = try directory.write("", to: "file")
        let catalog = Catalog(directories: ["\(directory.path)/absent", "\(file)/below", file])
        #expect(catalog.all().mistakes.isEmpty)
        #expect(try catalog.profile("Slow Net").origin == .builtIn)
    }

    @Test func aDirectoryNamedAsAProfileIsAMistake() throws {
        _ = try directory.makeDirectory("office.json")
        let mistakes = Catalog(directories: [directory.path]).all().mistakes
        #expect(mistakes.map(\.systemCode) == [EISDIR])
    }

    @Test func aDanglingLinkIsAMistake() throws {
        try #require(symlink("nowhere", "\(directory.path)/office.json") == 0)
        let mistakes = Catalog(directories: [directory.path]).all().mistakes
        #expect(mistakes.map(\.systemCode) == [ENOENT])
    }

    @Test func aCircularLinkIsAMistake() throws {
        try #require(symlink("circle", "\(directory.path)/circle") == 0)
        let mistakes = Catalog(directories: ["\(directory.path)/circle"]).all().mistakes
        #expect(mistakes.map(\.systemCode) == [ELOOP])
    }

    @Test(.enabled("root may read everything") { geteuid() != 0 })
    func aDirectoryWithoutPermissionIsAMistake() throws {
        let closed = try directory.makeDirectory("closed")
        try #require(chmod(closed, 0) == 0)
        defer { chmod(closed, 0o700) }
        let catalog = Catalog(directories: [closed])
        #expect(catalog.all().mistakes.map(\.systemCode) == [EACCES])
        #expect(try catalog.profile("Slow Net").origin == .builtIn)
    }
}
