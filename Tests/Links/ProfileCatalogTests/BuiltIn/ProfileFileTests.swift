// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import ProfileCatalog

@Suite struct ProfileFileTests {
    @Test func everyFileIsBuiltIn() throws {
        let inFiles = try Dictionary(
            uniqueKeysWithValues: ProfilesDirectory.names.map { name in
                let profile = try ProfilesDirectory.profile(name)
                return (profile.name, profile)
            }
        )
        let builtIn = try Dictionary(
            uniqueKeysWithValues: BuiltInProfiles.all.map { ($0.name, try Profile(utf8: $0.json.utf8)) }
        )
        #expect(inFiles == builtIn)
    }

    @Test(arguments: ProfilesDirectory.names)
    func isNamedAsItsProfileIs(file: String) throws {
        let profile = try ProfilesDirectory.profile(file)
        let stem = String(file.dropLast(".json".count))
        // A file's name does without "%" and "+".
        let name = profile.name.filter { $0 != "%" && $0 != "+" }
        #expect(Profile.normalized(stem) == Profile.normalized(name))
        #expect(stem.allSatisfy { ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-" || $0 == "." })
    }

    @Test func slowNetIsWrittenLikeThis() throws {
        #expect(
            try ProfilesDirectory.text("slow-net.json") == """
                {
                  "name": "Slow Net",
                  "summary": "Very limited bandwidth",
                  "source": "useyourloaf.com, Network Link Conditioner, 2012",
                  "downlink": { "rate": "32 kbit/s", "delay": "100 ms" },
                  "uplink": { "rate": "32 kbit/s", "delay": "100 ms" },
                  "dns": { "delay": "200 ms" }
                }

                """
        )
    }

    @Test func slowNetIsPrintedAsItIsWritten() throws {
        #expect(
            try Catalog(directories: []).profile("Slow Net").profile.json.text + "\n"
                == ProfilesDirectory.text("slow-net.json")
        )
    }
}
