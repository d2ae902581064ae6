// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LinkProfiles

@Suite struct GoodFixtureTests {
    private static let directory = PackageDirectory.fixtures.appending(path: "good")

    private func profile(_ file: String) throws -> Profile {
        try Profile(utf8: try Data(contentsOf: Self.directory.appending(path: file)))
    }

    @Test func thereAreFiles() {
        #expect(PackageDirectory.jsonNames(in: Self.directory).count >= 15)
    }

    @Test(arguments: PackageDirectory.jsonNames(in: directory))
    func readsBackWhatItWrites(file: String) throws {
        let profile = try profile(file)
        #expect(try profile.rereadFromText() == profile)
        #expect(try Profile(utf8: profile.json.line.utf8) == profile)
        #expect(try Profile(json: profile.json) == profile)
    }

    @Test(arguments: PackageDirectory.jsonNames(in: directory))
    func writesTheSameTextAgain(file: String) throws {
        let profile = try profile(file)
        #expect(try profile.rereadFromText().json.text == profile.json.text)
    }

    @Test func keepsEveryKey() throws {
        let profile = try profile("every-key.json")
        let written = profile.json
        #expect(
            written.members.map(\.name)
                == ["name", "summary", "source", "downlink", "uplink", "dns", "mtu", "ipv6", "nat", "seed", "schedule"]
        )
        let downlink = try #require(written["downlink"]).members.map(\.name)
        let uplink = try #require(written["uplink"]).members.map(\.name)
        #expect(Set(downlink + uplink) == Set(NodeReader.impairmentKeys))
    }

    @Test func distinguishesZeroFromAbsent() throws {
        let profile = try profile("explicit-zeros.json")
        #expect(profile.downlink?.delay == .zero)
        #expect(profile.downlink?.loss == .random(.zero))
        #expect(profile.downlink?.rate == nil)
        #expect(profile.uplink?.delay == nil)
        #expect(profile.uplink?.ecn == false)
        #expect(profile.uplink?.queue == .packets(0))
        #expect(profile.seed == 0)
    }

    @Test func unescapesKeys() throws {
        #expect(try profile("escaped-key.json").downlink?.rate == BitRate(bitsPerSecond: 32000))
    }
}
