// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import ProfileCatalog
import Testing

/// Directories in which another user could put a profile for root.
@Suite struct UntrustedDirectoryTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.writeProfile("Slow Net", summary: "own", to: "own.json")
        try setMode(0o755)
    }

    private func setMode(_ mode: mode_t) throws {
        try #require(chmod(directory.path, mode) == 0)
    }

    /// Root's catalog, with this user as the one who called sudo.
    private func catalog(sudo: uid_t = getuid(), extra: [String] = []) -> Catalog {
        Catalog(
            extra: extra,
            environment: ["LINKCOND_PROFILE_PATH": directory.path, "SUDO_UID": "\(sudo)"],
            isRoot: true
        )
    }

    private func isUsed(_ catalog: Catalog) throws -> Bool {
        let isFound = try catalog.profile("Slow Net").profile.summary == "own"
        let isListed = catalog.all().profiles.contains { $0.origin == .file("\(directory.path)/own.json") }
        #expect(isFound == isListed)
        // Where another user than root runs the tests, ./Profiles is that user's, too.
        let untrusted = catalog.untrusted().map(\.path).filter { $0 != "./Profiles" }
        #expect(untrusted == (isFound ? [] : [directory.path]))
        return isFound
    }

    @Test func areNotThoseOfTheCaller() throws {
        #expect(try isUsed(catalog()))
    }

    @Test(arguments: [0o775, 0o757, 0o1777, 0o770] as [mode_t])
    func areThoseThatOthersMayWrite(mode: mode_t) throws {
        try setMode(mode)
        let isRootsGroup = getgid() == 0 && mode & 0o002 == 0
        #expect(try isUsed(catalog()) == isRootsGroup)
        // Someone who is not root chooses for themselves only.
        #expect(try Catalog(directories: [directory.path]).profile("Slow Net").profile.summary == "own")
    }

    @Test func areThoseOfOtherUsers() throws {
        if getuid() == 0 { try #require(chown(directory.path, 4711, 0) == 0) }
        #expect(try !isUsed(catalog(sudo: 815)))
        #expect(try isUsed(catalog(sudo: getuid() == 0 ? 4711 : getuid())))
    }

    @Test func areSearchedWhereTheUserNamesThem() throws {
        try setMode(0o777)
        let catalog = catalog(extra: [directory.path])
        #expect(try catalog.profile("Slow Net").profile.summary == "own")
        #expect(catalog.untrusted().isEmpty)
    }
}
