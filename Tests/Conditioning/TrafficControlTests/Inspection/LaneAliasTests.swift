// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Testing

@testable import Netlink
@testable import TrafficControl

@Suite struct RuleTagTests {
    private static func alias(_ profile: String = "Slow Net", _ selection: String = "everything") throws -> LaneAlias {
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
        #expect(try Self.alias().text == text)
        var alias = try Self.alias("100% Loss", "to 10.0.0.0/8 exclude port 22")
        alias.madeHook = false
        alias.previousMTU = nil
        let head = "linkcond eth0 uplink rule 1 at=1795938273 uid=1000 pid=4711 "
        #expect(alias.text == head + "traffic={to 10.0.0.0/8 exclude port 22} profile=100% Loss")
    }

    @Test(arguments: [
        "Slow Net", "x", "profile=x", "a profile=b profile=c", "traffic={port 1} y", "}", "hook=made", "mtu=1",
        "Große Störung 🛰",
        " leading and trailing ", "数据",
    ])
    func readsWhatItWrites(profile: String) throws {
        for selection in ["everything", "port 443", "to 2001:db8::/32 exclude protocol icmp"] {
            let alias = try Self.alias(profile, selection)
            #expect(LaneAlias(alias.text) == alias)
            var bare = alias
            bare.madeHook = false
            bare.previousMTU = nil
            #expect(LaneAlias(bare.text) == bare)
        }
    }

    @Test func tellsItsMakerFromOtherProcesses() throws {
        var alias = try Self.alias()
        alias.maker = ProcessIdentity(processID: 4711, startTime: 923, namespace: ProcessIdentity.initialNamespace)
        #expect(alias.text.contains(" pid=4711 start=923 hook=made "))
        #expect(LaneAlias(alias.text) == alias)
        alias.maker?.namespace += 100
        alias.isHeld = true
        #expect(alias.text.contains(" pid=4711 start=923 pidns=4026531936 held=sandbox hook=made "))
        #expect(LaneAlias(alias.text) == alias)
    }

    @Test func knowsWhetherItsMakerRuns() throws {
        var alias = try Self.alias()
        alias.processID = getpid()
        alias.maker = .current
        #expect(alias.makerIsAlive)
        // Another process had the ID before.
        alias.maker?.startTime -= 1
        #expect(!alias.makerIsAlive)
        alias.maker = .current
        // A process of another PID namespace, which nobody sees any more, and its ID is that of a process here.
        alias.maker?.namespace = 1
        #expect(alias.makerIsAlive != ProcessIdentity.seesAll)
    }

    /// A mark that combines with the character before it must not hide the start of the name.
    @Test(arguments: ["\u{301}a", "\u{200D}a", "\u{20E3}7"])
    func readsANameThatBeginsWithACombiningMark(profile: String) throws {
        let alias = try Self.alias(profile)
        #expect(LaneAlias(alias.text) == alias)
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
                let text = try Self.alias(name, "to 2001:db8:1111:2222:3333:4444:5555:6666 port 50000").text
                #expect(text.utf8.count <= LinkRequest.maximumAliasLength)
                // The kernel's limit includes a zero byte at the end.
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
        var alias = try Self.alias(String(repeating: "x", count: 100), selection)
        alias.device = "enp123s0f1np1dx"
        alias.userID = .max
        alias.processID = .max
        alias.rule = 33
        alias.lane = .downlink
        alias.maker = ProcessIdentity(processID: .max, startTime: .max, namespace: .max)
        // There is no room for the rest of the maker.
        let text = alias.text
        #expect(text.utf8.count <= LinkRequest.maximumAliasLength)
        alias.maker = nil
        #expect(text == alias.text)
        var read = try #require(LaneAlias(alias.text))
        #expect(alias.profile.hasPrefix(read.profile))
        read.profile = alias.profile
        #expect(read == alias)
    }

    /// One character can be any number of bytes; only the name may be lost by it.
    @Test func staysReadableWithANameOfOneEndlessCharacter() throws {
        let alias = try Self.alias("a" + String(repeating: "\u{301}", count: 300))
        #expect(alias.text.utf8.count <= LinkRequest.maximumAliasLength)
        let read = try #require(LaneAlias(alias.text))
        #expect(read.rule == 1 && read.madeHook && read.previousMTU == 65536)
    }
}
