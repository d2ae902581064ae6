// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinuxSystem
import Testing

@testable import ConditioningTestSupport
@testable import LinkConditioning
@testable import TrafficControl

@Suite struct JournalReadingTests {
    private static func read(_ bytes: [UInt8], network: JournalNetwork = .here, index: Int32 = 2) -> JournalReading {
        JournalReading(bytes, network: network, index: index)
    }

    @Test(arguments: [JournalEntry.full, .made(), .made([.made(.slowNet)]), .made(change: .made("reset", nil))])
    func readsWhatItWrites(entry: JournalEntry) {
        #expect(Self.read(JournalReading.bytes(of: entry)) == .entry(entry))
    }

    @Test func readsAMarkWhereTheKernelHasNoCookies() {
        var entry = JournalEntry.full
        entry.network.identity.number = .mark(.max)
        #expect(Self.read(JournalReading.bytes(of: entry), network: entry.network) == .entry(entry))
    }

    @Test func refusesANetworkWithoutANumber() {
        let members = JournalEntry.full.json.members.filter { $0.name != "cookie" }
        let json = JSON(members: members.map { ($0.name, $0.value) })
        #expect(JournalEntry(json: JournalEntry.full.json) == .full)
        #expect(JournalEntry(json: json) == nil)
    }

    @Test func beginsWithALineForPeople() {
        let text = String(decoding: JournalReading.bytes(of: .made()), as: UTF8.self)
        let lines = text.split(separator: "\n", maxSplits: 1)
        #expect(lines[0].hasPrefix("linkcond-journal 3 "))
        #expect(lines[0].hasSuffix(" \(lines[1].utf8.count)"))
    }

    @Test func trustsNoTruncation() {
        let bytes = JournalReading.bytes(of: .full)
        for length in bytes.indices {
            guard case .damaged = Self.read(Array(bytes[..<length])) else {
                Issue.record("\(length) bytes of \(bytes.count) were trusted")
                continue
            }
        }
    }

    @Test func trustsNoFlippedBit() {
        let bytes = JournalReading.bytes(of: .full)
        for index in bytes.indices {
            for bit in 0..<8 {
                var wrong = bytes
                wrong[index] ^= 1 << bit
                let reading = Self.read(wrong)
                if case .entry = reading { Issue.record("bit \(bit) of byte \(index) went unseen") }
            }
        }
    }

    @Test func trustsNothingThatIsAddedOrForeign() {
        let bytes = JournalReading.bytes(of: .full)
        for wrong in [
            bytes + [10], bytes + bytes, Array("{}".utf8), Array("hello\n".utf8), [UInt8](repeating: 0, count: 4096),
        ] {
            guard case .damaged = Self.read(wrong) else {
                Issue.record("trusted: \(wrong.prefix(30))")
                continue
            }
        }
    }

    @Test func tellsOtherBootsNetworksInterfacesAndVersionsApart() {
        let bytes = JournalReading.bytes(of: .full)
        var other = JournalNetwork.here
        other.bootID = "5f0f"
        #expect(Self.read(bytes, network: other) == .otherBoot)
        other = .here
        other.identity.inode += 1
        #expect(Self.read(bytes, network: other) == .elsewhere)
        other = .here
        // A later network with the same inode.
        other.identity.number = .cookie(4098)
        #expect(Self.read(bytes, network: other) == .elsewhere)
        other.identity.number = .mark(4097)
        #expect(Self.read(bytes, network: other) == .elsewhere)
        #expect(Self.read(bytes, index: 3) == .elsewhere)
        let later = Array("linkcond-journal 4".utf8) + bytes.dropFirst("linkcond-journal 3".utf8.count)
        #expect(Self.read(later) == .otherVersion("4"))
    }

    @Test func tellsARenameFromAnInterfaceThatWasMadeAnew() {
        let reading = JournalReading.entry(.full)
        let address = JournalEntry.full.address
        #expect(reading.about("eth0", address: address, hasFilters: false) == reading)
        #expect(reading.about("wan0", address: address, hasFilters: false) == .otherInterface("eth0"))
        #expect(reading.about("eth0", address: "020000000002", hasFilters: false) == .otherInterface("eth0"))
        var renamed = JournalEntry.full
        (renamed.name, renamed.address) = ("wan0", "020000000002")
        #expect(reading.about("wan0", address: "020000000002", hasFilters: true) == .entry(renamed))
    }

    @Test func sumsAsZlibDoes() {
        #expect(CRC32.checksum("123456789".utf8) == 0xCBF4_3926)
        #expect(CRC32.checksum([]) == 0)
    }

    /// The end of a veth pair that a rule faces is kept, and an entry from before this was recorded faces the host.
    @Test func readsWhichEndARuleFaces() throws {
        var request = RuleRequest.made(.slowNet)
        request.facing = .peer
        let rule = JournalEntry.Rule(request, .netem, owner: .made(1))
        #expect(try #require(JournalEntry.Rule(json: rule.json)).request.facing == .peer)
        let older = JSON(members: rule.json.members.filter { $0.name != "facing" }.map { ($0.name, $0.value) })
        #expect(JournalEntry.Rule(json: older)?.facing == .host)
    }
}
