// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog
import Testing

@Suite struct EnvironmentTests {
    @Test func searchesTheUsualPlaces() {
        let catalog = Catalog(environment: ["HOME": "/home/u"])
        #expect(catalog.directories == ["./Profiles", "/home/u/.config/linkcond/profiles", "/etc/linkcond/profiles"])
    }

    @Test func searchesGivenPlacesFirst() {
        let catalog = Catalog(
            extra: ["/x", "y"],
            environment: ["LINKCOND_PROFILE_PATH": "/a:b", "XDG_CONFIG_HOME": "/c", "HOME": "/h"]
        )
        #expect(
            catalog.directories
                == ["/x", "y", "/a", "b", "./Profiles", "/c/linkcond/profiles", "/etc/linkcond/profiles"]
        )
    }

    @Test(arguments: ["", ":", "::"])
    func takesAnEmptyPathForNone(path: String) {
        let catalog = Catalog(environment: ["LINKCOND_PROFILE_PATH": path])
        #expect(catalog.directories == ["./Profiles", "/etc/linkcond/profiles"])
    }

    @Test func takesAnEmptyConfigurationDirectoryForNone() {
        let catalog = Catalog(environment: ["XDG_CONFIG_HOME": "", "HOME": "/h"])
        #expect(catalog.directories == ["./Profiles", "/h/.config/linkcond/profiles", "/etc/linkcond/profiles"])
    }

    @Test func findsProfilesOnTheNamedPath() throws {
        let first = try TemporaryDirectory()
        let second = try TemporaryDirectory()
        try first.writeProfile("Office", summary: "first", to: "a.json")
        try second.writeProfile("Office", summary: "second", to: "a.json")
        let environment = ["LINKCOND_PROFILE_PATH": "\(first.path):\(second.path)"]
        #expect(try Catalog(environment: environment).profile("office").profile.summary == "first")
        #expect(
            try Catalog(extra: [second.path], environment: environment).profile("office").profile.summary == "second"
        )
    }
}
