// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileFormats
import Testing

/// Managed queues in the output of tc.
@Suite struct QueueImportTests {
    private static let tbf = "qdisc tbf 1: dev d0 root refcnt 2 rate 10Mbit burst 1600b lat 50ms\n"

    private func uplink(_ text: String) throws -> Impairments {
        try #require(try ImportedProfile.read(text).profile.uplink)
    }

    @Test func belongsToTheShaperAboveIt() throws {
        let queue =
            "qdisc fq_codel 0: dev d0 parent 1:1 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms "
        let uplink = try uplink(Self.tbf + queue + "memory_limit 32Mb ecn drop_batch 64\n")
        #expect(uplink.rate == BitRate(bitsPerSecond: 10_000_000))
        #expect(uplink.queueManagement == QueueManagement(.fqCodel))
        #expect(uplink.queue == .packets(10_240) && uplink.ecn == true)
    }

    @Test func hasParametersOtherThanTheDefaults() throws {
        let codel = try uplink(Self.tbf + "qdisc codel 2: dev d0 parent 1:1 limit 1000p target 9ms interval 150ms\n")
        #expect(codel.queueManagement?.target == .milliseconds(9))
        #expect(codel.queueManagement?.interval == .milliseconds(150) && codel.ecn == nil)
        let pie = try uplink(
            Self.tbf + "qdisc pie 2: dev d0 parent 1:1 limit 900p target 20ms tupdate 15ms alpha 2 beta 20\n"
        )
        var expected = QueueManagement(.pie)
        expected.target = .milliseconds(20)
        #expect(pie.queueManagement == expected && pie.queue == .packets(900))
    }

    @Test func isReadFromJSON() throws {
        let json = """
            [{"kind":"tbf","handle":"1:","dev":"d0","root":true,"options":{"rate":1250000,"burst":1600,"lat":50000}},
             {"kind":"fq_codel","handle":"0:","dev":"d0","parent":"1:1","options":{"limit":10240,"flows":512,
              "quantum":1514,"target":4999,"interval":99999,"memory_limit":33554432,"ecn":true,"drop_batch":64}}]
            """
        var expected = QueueManagement(.fqCodel)
        expected.flows = 512
        #expect(try uplink(json).queueManagement == expected)
    }

    @Test func isALinkByItselfIfCakeShapes() throws {
        let cake = "qdisc cake 8001: dev d0 root refcnt 2 bandwidth 20Mbit diffserv3 triple-isolate nonat nowash "
        let uplink = try uplink(cake + "no-ack-filter split-gso rtt 50ms raw overhead 0\n")
        #expect(uplink.rate == BitRate(bitsPerSecond: 20_000_000) && uplink.ecn == true)
        #expect(uplink.queueManagement?.discipline == .cake)
        #expect(uplink.queueManagement?.interval == .milliseconds(50))
        #expect(uplink.queueManagement?.target == .microseconds(2500))
        #expect(ImportedProfile.failure("qdisc cake 1: dev d0 root bandwidth unlimited rtt 100ms\n") != nil)
    }

    @Test func isNoLinkWithoutARate() throws {
        #expect(ImportedProfile.failure("qdisc fq_codel 0: dev d0 root limit 10240p target 5ms\n") != nil)
        let text = "qdisc netem 1: dev d0 root limit 1000 delay 5ms\nqdisc codel 2: dev d0 parent 1:1 limit 9p ecn\n"
        let uplink = try uplink(text)
        #expect(uplink.queueManagement == nil && uplink.queue == nil && uplink.ecn == nil)
    }

    @Test func leavesOtherQueuesAlone() throws {
        let other = "qdisc fq_codel 0: dev eth0 root refcnt 2 limit 10240p flows 1024 quantum 1514 target 5ms\n"
        #expect(try uplink(other + Self.tbf).queueManagement == nil)
    }

    @Test func keepsTheMeaningOfALossModel() throws {
        let text =
            "qdisc netem 1: dev d0 root limit 1000 loss 1% rate 1Mbit\nqdisc codel 2: dev d0 parent 1:1 limit 9p ecn\n"
        let imported = try ImportedProfile.read(text)
        #expect(imported.profile.uplink?.ecn == nil && imported.profile.uplink?.queueManagement != nil)
        #expect(imported.remarks.contains { $0.contains("ecn of codel") })
    }
}
