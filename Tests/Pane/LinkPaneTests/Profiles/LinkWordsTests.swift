// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileCatalog
import Testing

@testable import LinkPane

@Suite struct LinkWordsTests {
    private func feels(_ name: String) throws -> [String] {
        try Catalog(directories: []).profile(name).profile.feels([:])
    }

    @Test func tellsWhatSlowNetFeelsLike() throws {
        let expected = [
            "a ping of 98 bytes takes 249 ms", "a 1 MB page takes about 4 min 22 s",
            "one connection fills the link (32 kbit/s)",
            "24.6 kB are in flight when the downlink is full, and a ping takes 6.31 s then",
            "a DNS query takes 449 ms, 200 ms more than a ping",
        ]
        #expect(try feels("Slow Net") == expected)
    }

    @Test func tellsWhatLTEAnd3GFeelLike() throws {
        #expect(try feels("LTE").prefix(2) == ["a ping of 98 bytes takes 115 ms", "a 1 MB page takes about 936 ms"])
        #expect(try feels("3G").prefix(2) == ["a ping of 98 bytes takes 203 ms", "a 1 MB page takes about 11.2 s"])
    }

    @Test func tellsThatTheDeadAreDead() throws {
        #expect(try feels("Black Hole") == ["nothing arrives: every packet towards this host is lost"])
        let expected = [
            "a ping of 98 bytes takes 249 ms, and 99 % get no answer",
            "a 1 MB page takes hours: it practically never arrives",
            "one connection gets about 1.09 kbit/s of 32 kbit/s: it mostly waits to send lost packets again",
        ]
        #expect(try feels("Nasty Net").prefix(3) == expected[...])
    }

    @Test func tellsThatALinkWithoutFiguresChangesNothing() {
        #expect(Profile(name: "").feels([:]) == ["pings take no longer than without conditions"])
    }

    @Test func tellsFaultsAndChanges() throws {
        #expect(try feels("DNS Down").contains("fault 1: lose: port 53"))
        #expect(try feels("Lift").contains("figures that change with time count with their mean"))
    }
}

@Suite struct HarshnessTests {
    /// The recommended profiles are in the order in which `list` shows them, but for one with loss.
    @Test func ordersFromMildToHarsh() throws {
        let names = ["Wi-Fi", "Starlink", "LTE", "3G", "Edge", "Slow Net", "Nasty Net", "Black Hole"]
        let catalog = Catalog(directories: [])
        let values = try names.map { LinkEstimate(try catalog.profile($0).profile).harshness }
        #expect(values == values.sorted() && values.last == 1)
    }

    @Test func isTheShareOfTheCost() throws {
        // The page of Slow Net takes 262.0415 s, ten pings 2.49 s.
        let link = LinkEstimate(try Catalog(directories: []).profile("Slow Net").profile)
        #expect(abs(link.harshness - 264.5315 / 274.5315) < 1e-9)
    }

    @Test func putsWhatIsBrokenAfterWhatIsSlow() throws {
        let profile = try Catalog(directories: []).profile("DNS Down").profile
        #expect(profile.harshness([:]) == 0.9)
    }
}
