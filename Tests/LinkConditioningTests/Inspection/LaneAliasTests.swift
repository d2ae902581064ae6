// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkConditioning
@testable import Netlink
@testable import TrafficControl

@Suite struct RuleTagTests {
    private static func tag(_ profile: String = "Slow Net", _ selection: String = "everything") throws -> LaneAlias {
        LaneAlias(
            device: "eth0",
            lane: .uplink,
            rule: 1,
            appliedAt: 1_795_938_273,
            userID: 1000,
            processID: 4711,
            madeHook: true,
            previousMTU: 65536,
            selection: try #require(Selection(selection)),
            profile: profile
        )
    }

    @Test func saysEverythingInWords() throws {
        let text = "linkcond eth0 uplink rule 1 at=1795938273 uid=1000 pid=4711 hook=made mtu=65536 profile=Slow Net"
        #expect(try Self.tag().text == text)
        var tag = try Self.tag("100% Loss", "to 10.0.0.0/8 exclude port 22")
        tag.madeHook = false
        tag.previousMTU = nil
        let head = "linkcond eth0 uplink rule 1 at=1795938273 uid=1000 pid=4711 "
        #expect(tag.text == head + "traffic={to 10.0.0.0/8 exclude port 22} profile=100% Loss")
    }

    @Test(arguments: [
        "Slow Net", "x", "profile=x", "a profile=b profile=c", "traffic={port 1} y", "}", "hook=made", "mtu=1",
        "Große Störung 🛰",
        " leading and trailing ", "数据",
    ])
    func readsWhatItWrites(profile: String) throws {
        for selection in ["everything", "port 443", "to 2001:db8::/32 exclude protocol icmp"] {
            let tag = try Self.tag(profile, selection)
            #expect(LaneAlias(tag.text) == tag)
            var bare = tag
            bare.madeHook = false
            bare.previousMTU = nil
            #expect(LaneAlias(bare.text) == bare)
        }
    }

    /// A mark that combines with what stands before it must not hide where the name begins.
    @Test(arguments: ["\u{301}a", "\u{200D}a", "\u{20E3}7"])
    func readsANameThatBeginsWithACombiningMark(profile: String) throws {
        let tag = try Self.tag(profile)
        #expect(LaneAlias(tag.text) == tag)
    }

    @Test(arguments: [
        "", "linkcond", "eth0's twin", "linkcond eth0 uplink rule 1", "linkcond eth0 sideways rule 1 profile=x",
        "linkcond eth0 uplink rule one profile=x", "linkcond eth0 uplink role 1 profile=x",
        "somebody eth0 uplink rule 1 profile=x", "linkcond eth0 uplink profile=x",
        "linkcond eth0 uplink rule 1 traffic={port x} profile=x", "LINKCOND eth0 uplink rule 1 profile=x",
    ])
    func refusesForeignAliases(text: String) {
        #expect(LaneAlias(text) == nil)
    }

    @Test func fitsAnAliasWithItsZeroByte() throws {
        for letter in ["a", "é", "数", "🛰", "👩‍👩‍👧‍👦"] {
            for count in 1...100 {
                let name = String(repeating: letter, count: count)
                let text = try Self.tag(name, "to 2001:db8:1111:2222:3333:4444:5555:6666 port 50000").text
                #expect(text.utf8.count <= LinkRequest.maximumAliasLength)
                // The kernel counts whatever is sent, a zero byte at the end too, against its limit.
                let request = AttributeReader(LinkRequest.setAlias(text, of: "lc2r1u").bytes.dropFirst(32))
                #expect(try #require(request[20]).count <= LinkRequest.maximumAliasLength)
                let read = try #require(LaneAlias(text))
                #expect(read.profile.allSatisfy { String($0) == letter }, "cut inside a character")
                #expect(name.hasPrefix(read.profile))
            }
        }
    }

    @Test func keepsEverythingButTheNamesEndWhateverItsLength() throws {
        let selection = "to 2001:db8:1111:2222:3333:4444:5555:6666 to 2001:db8:1111:2222:3333:4444:5555:6667 port 50000"
        var tag = try Self.tag(String(repeating: "x", count: 100), selection)
        tag.device = "enp123s0f1np1dx"
        tag.userID = .max
        tag.processID = .max
        tag.rule = 33
        tag.lane = .downlink
        var read = try #require(LaneAlias(tag.text))
        #expect(tag.profile.hasPrefix(read.profile))
        read.profile = tag.profile
        #expect(read == tag)
    }

    /// One character may be any number of bytes; it may cost the name, but nothing else.
    @Test func staysReadableWithANameOfOneEndlessCharacter() throws {
        let tag = try Self.tag("a" + String(repeating: "\u{301}", count: 300))
        #expect(tag.text.utf8.count <= LinkRequest.maximumAliasLength)
        let read = try #require(LaneAlias(tag.text))
        #expect(read.rule == 1 && read.madeHook && read.previousMTU == 65536)
    }
}
