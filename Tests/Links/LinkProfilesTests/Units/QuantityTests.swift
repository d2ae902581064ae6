// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import LinkProfiles

@Suite struct QuantityTests {
    /// Every kind of quantity that a profile holds.
    private static let all = [
        BitRate.quantity, Duration.quantity, Probability.quantity, QueueSize.byteQuantity, QueueSize.packetQuantity,
    ]

    @Test(arguments: [
        ("14.4 kbit/s", 14_400), ("57.6 kbit/s", 57_600), ("0.3 kbit/s", 300), ("1.1 Gbit/s", 1_100_000_000),
        ("1638.4 kbit/s", 1_638_400), ("236.8 kbit/s", 236_800), ("0.000001 Mbit/s", 1), ("2.4 kbit/s", 2400),
    ])
    func carriesDecimalsExactly(text: String, amount: UInt64) throws {
        #expect(try BitRate.quantity.parse(text).get() == amount)
    }

    @Test(arguments: [
        "32 kbit/s", "32kbit/s", "  32   kbit/s ", "32\tkbit/s", "032 kbit/s", "32.0 kbit/s",
        "32.000000000000000 kbit/s",
    ])
    func acceptsSurplusSpacesAndZeros(text: String) throws {
        #expect(try BitRate.quantity.parse(text).get() == 32_000)
    }

    @Test(arguments: [("1.4 ns", 1), ("1.5 ns", 2), ("0.5 ns", 1), ("0.0004 us", 0), ("2.4999999 ns", 2)])
    func roundsHalfUpWhatIsFinerThanTheSmallestUnit(text: String, amount: UInt64) {
        // What is rounded away altogether is refused instead.
        #expect((try? Duration.quantity.parse(text).get()) == (amount > 0 ? amount : nil))
    }

    @Test(arguments: [
        ("", "does not start with a number"), ("kbit/s", "does not start with a number"),
        ("-5 kbit/s", "is negative"), ("+5 kbit/s", "does not start with a number"),
        (".5 kbit/s", "does not start with a whole number or decimal"),
        ("5. kbit/s", "does not start with a whole number or decimal"),
        ("1.2.3 kbit/s", "does not start with a whole number or decimal"),
        ("5", "has no unit"), ("5 ", "has no unit"), ("1,5 Mbit/s", "has a decimal comma"),
        ("5 furlongs", "has an unknown unit \"furlongs\""), ("1e6 bit/s", "has an unknown unit \"e6 bit/s\""),
        ("1 000 bit/s", "has an unknown unit \"000 bit/s\""), ("٣ kbit/s", "does not start with a number"),
        ("10001 Gbit/s", "is too large"), ("0.4 bit/s", "is too small"),
        ("99999999999999999999999999 bit/s", "is too large"),
    ])
    func saysWhyATextIsInvalid(text: String, reason: String) {
        #expect(throws: UnreadableQuantity.self) { try BitRate.quantity.parse(text).get() }
        if case .failure(let error) = BitRate.quantity.parse(text) { #expect(error.reason == reason) }
    }

    @Test func shortensALongUnitInMessages() {
        guard case .failure(let error) = BitRate.quantity.parse("1 " + String(repeating: "x", count: 400)) else {
            Issue.record("a unit of 400 letters was read")
            return
        }
        #expect(error.reason.count < 80)
    }

    @Test(arguments: all)
    func readsBackEveryAmountItPrints(quantity: Quantity) throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            // As many small amounts as large ones.
            let limit = quantity.maximum >> UInt64.random(in: 0..<40, using: &generator)
            let amount = UInt64.random(in: 0...limit, using: &generator)
            let text = quantity.format(amount)
            #expect(try quantity.parse(text).get() == amount, "\(text)")
        }
    }

    @Test(arguments: all)
    func endsAtItsMaximum(quantity: Quantity) throws {
        #expect(try quantity.parse(quantity.format(quantity.maximum)).get() == quantity.maximum)
        guard case .failure(let error) = quantity.parse(quantity.format(quantity.maximum + 1)) else {
            Issue.record("more than the maximum was read")
            return
        }
        #expect(error.reason == "is too large")
        #expect(error.expected == "at most \(quantity.format(quantity.maximum))")
    }

    @Test(arguments: all)
    func readsItsOwnExample(quantity: Quantity) throws {
        #expect(try quantity.parse(quantity.example).get() > 0)
    }

    @Test(arguments: all)
    func readsEveryUnitOfItsTable(quantity: Quantity) throws {
        for unit in quantity.units {
            #expect(try quantity.parse("1 \(unit.key)").get() == unit.value)
        }
    }
}

extension Quantity: CustomTestStringConvertible {
    /// What is measured.
    public var testDescription: String { kind }
}
