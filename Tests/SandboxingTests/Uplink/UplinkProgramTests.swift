// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Sandboxing

@Suite struct UplinkProgramTests {
    private static func arguments(_ kind: UplinkProgram.Kind, hasIPv6: Bool = false) -> [String] {
        UplinkProgram(kind: kind, path: "/usr/bin/x").arguments(process: 4711, ready: 5, exit: 6, hasIPv6: hasIPv6)
    }

    @Test func keepsTheHostsLoopbackOutOfReach() {
        #expect(Self.arguments(.slirp4netns).contains("--disable-host-loopback"))
        let pasta = Self.arguments(.pasta(isOld: true))
        #expect(pasta.contains("--no-map-gw"))
        for option in ["-t", "-u", "-T", "-U"] {
            let place = pasta.firstIndex(of: option)
            #expect(place.map { pasta[$0 + 1] } == "none")
        }
    }

    @Test func attachesToTheSupervisor() {
        #expect(Self.arguments(.slirp4netns).suffix(2) == ["4711", "uplink0"])
        #expect(Self.arguments(.pasta(isOld: false)).last == "4711")
        #expect(Self.arguments(.pasta(isOld: false)).contains("--foreground"))
    }

    @Test func carriesIPv6WhereTheHostHasIt() {
        #expect(Self.arguments(.slirp4netns, hasIPv6: true).contains("--enable-ipv6"))
        #expect(!Self.arguments(.slirp4netns).contains("--enable-ipv6"))
    }

    @Test func warnsOfAnOldPastaOnly() {
        #expect(UplinkProgram(kind: .pasta(isOld: true), path: "").caveat?.contains("silently") == true)
        #expect(UplinkProgram(kind: .pasta(isOld: false), path: "").caveat == nil)
        #expect(UplinkProgram(kind: .slirp4netns, path: "").caveat == nil)
    }
}
