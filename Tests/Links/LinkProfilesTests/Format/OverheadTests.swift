// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@Suite struct OverheadTests {
    @Test(arguments: [(0, 100, 100), (24, 1500, 1524), (-20, 60, 40), (-20, 20, 1), (-1000, 60, 1), (0, 0, 1)])
    func addsBytesToAPacket(packet: Int, frame: Int, wire: Int) {
        #expect(Overhead(packet: packet).wireBytes(ofFrame: frame) == wire)
    }

    @Test(arguments: [
        // 1514 bytes and 10 more fill 31.75 cells of 48 bytes, each of which takes 53.
        (10, 1514, 32 * 53), (0, 48, 53), (0, 49, 106), (0, 96, 106), (0, 1, 53), (-20, 20, 53),
    ])
    func fillsWholeATMCells(packet: Int, frame: Int, wire: Int) {
        #expect(Overhead(packet: packet, cell: 48, cellOverhead: 5).wireBytes(ofFrame: frame) == wire)
    }

    @Test func fillsCellsWithoutOverheadOfTheirOwn() {
        #expect(Overhead(packet: 0, cell: 64).wireBytes(ofFrame: 65) == 128)
    }

    @Test func neverShrinksAsFramesGrow() {
        let overhead = Overhead(packet: 18, cell: 48, cellOverhead: 5)
        let sizes = (0...3000).map(overhead.wireBytes(ofFrame:))
        #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(sizes.allSatisfy { $0.isMultiple(of: 53) })
    }
}
