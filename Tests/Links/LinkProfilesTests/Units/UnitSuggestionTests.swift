// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

/// The suggestion for a misspelt unit is the intended unit, or none if that is ambiguous.
@Suite struct UnitSuggestionTests {
    private func suggestion<Value>(_ result: Result<Value, UnreadableQuantity>) -> String? {
        guard case .failure(let error) = result else { return "read without complaint" }
        return error.suggestion
    }

    @Test(arguments: [
        ("32", "32 kbit/s"), ("32 Kbit/s", "32 kbit/s"), ("2 mbit/s", "2 Mbit/s"), ("2 MBit/s", "2 Mbit/s"),
        ("2 gbit/s", "2 Gbit/s"), ("5 mbps", "5 Mbps"), ("5 Kbps", "5 kbps"), ("5 KB/s", "5 kB/s"),
        ("5 b/s", "5 bit/s"), ("5 kb/s", "5 kbit/s"), ("5 Mb/s", "5 Mbit/s"), ("5 mb/s", "5 Mbit/s"),
        ("5 Gb/s", "5 Gbit/s"), ("5 Bps", "5 B/s"), ("5 kBps", "5 kB/s"), ("5 MBps", "5 MB/s"),
        ("5 GBps", "5 GB/s"), ("1 mb", "1 Mbit/s"), ("1 Mbit", "1 Mbit/s"), ("8 kbits", "8 kbit/s"),
        ("5 MB", "5 MB/s"), ("1,5 Mbit/s", "1.5 Mbit/s"),
    ])
    func turnsAMisspeltRateIntoTheRateThatWasMeant(text: String, expected: String) {
        #expect(suggestion(BitRate.quantity.parse(text)) == expected)
    }

    @Test(arguments: [("5 Kb/s", 5000), ("5 gb/s", 5_000_000_000), ("5 KBps", 40_000)])
    func distinguishesBitsFromBytesInAnyCaseOfThePrefix(text: String, amount: UInt64) throws {
        let suggestion = try #require(self.suggestion(BitRate.quantity.parse(text)))
        #expect(try BitRate.quantity.parse(suggestion).get() == amount, "\(suggestion)")
    }

    @Test(arguments: ["1 Tbit/s", "1 Mbs", "1 kbs", "1 Mbps/s", "32 ms", "5 M", "1e6 bit/s"])
    func suggestsNoRateOfAnotherSize(text: String) {
        #expect(suggestion(BitRate.quantity.parse(text)) == nil)
    }

    @Test(arguments: [
        ("100", "100 ms"), ("100 MS", "100 ms"), ("1 S", "1 s"), ("1,5 s", "1.5 s"), ("1 Min", "1 min"),
        ("5 sec", "5 s"), ("5 msec", "5 ms"), ("2 minutes", "2 min"),
    ])
    func turnsAMisspeltTimeIntoTheTimeThatWasMeant(text: String, expected: String) {
        #expect(suggestion(Duration.quantity.parse(text)) == expected)
    }

    @Test(arguments: [("5 percent", "5 %"), ("5 pct", "5 %"), ("5", "5 %")])
    func turnsAMisspeltShareIntoTheShareThatWasMeant(text: String, expected: String) {
        #expect(suggestion(Probability.quantity.parse(text)) == expected)
    }

    @Test func suggestsSecondsForAWait() {
        #expect(suggestion(Duration.wait.parse("5")) == "5 s")
    }

    @Test(arguments: [
        ("10minutes", "10 min"), ("5 secs", "5 s"), ("2 hours", "2 h"), ("5 fortnights", nil), ("5m", nil),
    ])
    func turnsAMisspeltLimitIntoTheLimitThatWasMeant(text: String, expected: String?) {
        #expect(Duration.limit(nearestTo: text) == expected)
    }

    @Test(arguments: ["5 m", "5 ps", "5 h", "100 kbit/s"])
    func suggestsNoTimeOfAnotherSize(text: String) {
        #expect(suggestion(Duration.quantity.parse(text)) == nil)
    }

    @Test(arguments: [("64 KB", "64 kB"), ("50 Packets", "50 packets"), ("50 pack", "50 packets")])
    func turnsAMisspeltQueueIntoTheQueueThatWasMeant(text: String, expected: String) {
        #expect(suggestion(QueueSize.parse(text)) == expected)
    }

    @Test(arguments: ["1 GB", "1 GiB", "5 mb", "50 frames"])
    func suggestsNoQueueOfAnotherSize(text: String) {
        // A suggestion in the right unit is as good as none.
        #expect([nil, text, "5 MB"].contains(suggestion(QueueSize.parse(text))))
    }

    @Test func doesNotRepeatANumberOfManyDigits() {
        #expect(suggestion(BitRate.quantity.parse(String(repeating: "9", count: 400))) == nil)
    }
}
