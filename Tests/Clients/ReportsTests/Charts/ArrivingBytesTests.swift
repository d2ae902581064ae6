// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reports

/// The rate at which packets come in, in pieces of 10 ms: 40 bytes each at 32 kbit/s.
@Suite struct ArrivingBytesTests {
    private func each(_ delivered: [Int], _ capacity: Double?) -> [Double] {
        ArrivingBytes.each(delivered, capacities: delivered.map { _ in capacity })
    }

    @Test func spreadAPacketOverTheTimeThatItTakes() {
        #expect(each([0, 0, 0, 0, 100, 0], 40) == [0, 0, 20, 40, 40, 0])
    }

    @Test func spreadPacketsThatFollowEachOther() {
        #expect(each([0, 0, 0, 80, 0, 80], 40) == [0, 0, 40, 40, 40, 40])
    }

    @Test func areAllThere() {
        let delivered = (0..<200).map { $0 % 7 == 0 ? 1514 : 0 }
        #expect(abs(each(delivered, 40).reduce(0, +) - Double(delivered.reduce(0, +))) < 1e-6)
    }

    @Test func areLeftWhereNoRateIsAskedFor() {
        #expect(each([0, 5000, 0], nil) == [0, 5000, 0])
    }

    /// Of 3 full frames in a piece, no rate of 100 bytes a piece explains more than one.
    @Test func showALinkThatIsTooFast() {
        let bytes = each([Int](repeating: 0, count: 50) + [4542], 100)
        #expect(bytes.last == 3028)
    }
}
