// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog
import Testing

@Suite struct SearchOrderTests {
    private let near: TemporaryDirectory
    private let far: TemporaryDirectory
    private let catalog: Catalog

    init() throws {
        near = try TemporaryDirectory()
        far = try TemporaryDirectory()
        catalog = Catalog(directories: [near.path, "\(near.path)/absent", far.path])
    }

    @Test func aNearerProfileShadowsAFartherOne() throws {
        try near.writeProfile("Office", summary: "near", to: "a.json")
        let file = try far.writeProfile("office", summary: "far", to: "b.json")
        #expect(try catalog.profile("OFFICE").profile.summary == "near")
        #expect(try Catalog(directories: [far.path, near.path]).profile("OFFICE").profile.summary == "far")
        #expect(try Catalog(directories: [far.path, near.path]).profile("OFFICE").origin == .file(file))
    }

    @Test func aFileShadowsABuiltInProfile() throws {
        try far.writeProfile("slow-net", summary: "own", to: "anything.json")
        #expect(try catalog.profile("Slow Net").profile.summary == "own")
        #expect(try catalog.profile("Slow Net").hidesBuiltIn)
        #expect(try Catalog(directories: []).profile("Slow Net").origin == .builtIn)
        #expect(try !Catalog(directories: []).profile("Slow Net").hidesBuiltIn)
    }

    @Test func aFileHidesNoBuiltInProfileThatIsTheSame() throws {
        let file = try far.write(try ProfilesDirectory.text("slow-net.json"), to: "copy.json")
        #expect(try catalog.profile("Slow Net").origin == .file(file))
        #expect(try !catalog.profile("Slow Net").hidesBuiltIn)
        #expect(try !LoadedProfile.read(path: file).hidesBuiltIn)
    }

    @Test func aFartherProfileIsStillFound() throws {
        try near.writeProfile("Office", summary: "near", to: "office.json")
        let file = try far.writeProfile("Attic", summary: "far", to: "attic.json")
        #expect(try catalog.profile("attic").origin == .file(file))
    }

    @Test func theListShowsTheNearerOfTwo() throws {
        try near.writeProfile("Office", summary: "near", to: "office.json")
        try far.writeProfile("OFFICE", summary: "far", to: "office.json")
        try far.writeProfile("Slow Net", summary: "own", to: "slow.json")
        let (profiles, mistakes) = catalog.all()
        #expect(mistakes.isEmpty)
        #expect(profiles.filter { Profile.normalized($0.profile.name) == "office" }.map(\.profile.summary) == ["near"])
        #expect(profiles.filter { $0.profile.name == "Slow Net" }.map(\.profile.summary) == ["own"])
        #expect(profiles.count == Catalog(directories: []).all().profiles.count + 1)
    }

    @Test func theNameCountsAndNotTheFile() throws {
        try near.writeProfile("Office", summary: "near", to: "attic.json")
        #expect(throws: CatalogError.self) { try catalog.profile("attic") }
        #expect(try catalog.profile("office").profile.summary == "near")
    }

    @Test func otherFilesAreNoProfiles() throws {
        try near.write("not JSON", to: "notes.txt")
        try near.write("not JSON", to: ".hidden.json")
        try near.write("{}", to: "profile.schema.json")
        try near.write("{}", to: "scenario.schema.json")
        #expect(catalog.all().mistakes.isEmpty)
    }
}
