// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import ConditioningTestSupport
@testable import LinkConditioning
@testable import TrafficControl

@Suite struct LoginConnectionTests {
    private let connection = LoginConnection("192.0.2.7 51234 198.51.100.1 22", processID: 1)

    @Test func readsWhatSSHSays() throws {
        let connection = try #require(connection)
        #expect(connection.peer.description == "192.0.2.7" && connection.peerPort == 51234)
        #expect(connection.local.description == "198.51.100.1" && connection.localPort == 22)
        #expect(LoginConnection("fe80::1%eth0 51234 fe80::2%eth0 22", processID: 1)?.local.description == "fe80::2")
        for wrong in ["", "192.0.2.7 51234 198.51.100.1", "a 1 b 2", "192.0.2.0/24 1 192.0.2.1 2", "::1 99999 ::1 22"] {
            #expect(LoginConnection(wrong, processID: 1) == nil, "\(wrong)")
        }
    }

    @Test(arguments: [
        ("everything", true), ("port 22", true), ("port 51234", true), ("port 443", false), ("to 192.0.2.0/24", true),
        ("to 192.0.2.7", true), ("to 192.0.3.0/24", false), ("to ::/0", false), ("protocol tcp", true),
        ("protocol udp", false), ("to 192.0.2.0/24 port 443", false), ("exclude port 22", false),
        ("exclude port 51234", false), ("exclude port 443", true), ("port 22 exclude to 192.0.2.0/25", false),
    ])
    func knowsWhichRulesAreAboutIt(selection: String, isMeant: Bool) throws {
        #expect(try #require(Selection(selection)).includes(#require(connection).traffic(.host)) == isMeant)
    }

    /// The client of mosh may change its address, so it is known by the server's port alone.
    @Test(arguments: [
        ("everything", true), ("port 60001", true), ("port 22", false), ("to 203.0.113.0/24", true),
        ("protocol udp", true), ("protocol tcp", false), ("exclude port 60001", false), ("exclude to 192.0.2.7", true),
    ])
    func knowsWhichRulesAreAboutMosh(selection: String, isMeant: Bool) throws {
        let mosh = LoginConnection(startedBy: try #require(connection), server: 2, port: 60001)
        #expect(try #require(Selection(selection)).includes(mosh.traffic(.host)) == isMeant)
        #expect(mosh.keptPort == 60001 && connection?.keptPort == 22 && mosh.description.contains("UDP port 60001"))
    }

    @Test func findsLinksThatLockTheUserOut() {
        #expect(Profile.blackHole.lockoutReason == "its downlink loses 100 % of the packets")
        #expect(Profile("", uplink: .loss(90)).lockoutReason == "its uplink loses 90 % of the packets")
        #expect(Profile("", uplink: .rate(1000)).lockoutReason == "its uplink carries only 1 kbit/s")
        #expect(Profile.delay(6000).lockoutReason == "a round trip takes 12 s")
        for usable in [Profile.slowNet, .delay(300), Profile("", downlink: .loss(10)), Profile("")] {
            #expect(usable.lockoutReason == nil)
        }
    }

    /// What is refused, and what is only just usable.
    @Test func hasBoundsOfWhatIsUsable() {
        #expect(Profile("", downlink: .loss(40)).lockoutReason != nil)
        #expect(Profile("", downlink: .loss(39)).lockoutReason == nil)
        #expect(Profile("", uplink: .rate(7999)).lockoutReason != nil)
        #expect(Profile("", uplink: .rate(8000)).lockoutReason == nil)
        #expect(Profile.delay(5000).lockoutReason == "a round trip takes 10 s")
        #expect(Profile.delay(4999).lockoutReason == nil)
    }
}
