// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Testing

/// What a capture tells of a lane that others use, too.
@Suite struct LaneNoteTests {
    private static let text =
        "shared with a long TCP flow; fq_codel queue; seed 1249239444; begun at 1764470967123456789"

    @Test func tellsWhatWithTheSeedAndTheStart() throws {
        let words = ["shared with a long TCP flow", "fq_codel queue"]
        let note = LaneNote(words, seed: 1_249_239_444, start: 1_764_470_967_123_456_789)
        #expect(note.comment == Self.text)
        #expect(LaneNote(comment: Self.text) == note)
        let largest = LaneNote([], seed: .max, start: .min)
        #expect(LaneNote(comment: largest.comment) == largest)
    }

    @Test(arguments: [
        "", "a remark", "seed 1", "begun at 2", "codel queue; seed 1; begun at", "codel queue; seed -1; begun at 2",
        "begun at 2; seed 1",
    ])
    func isNoOtherComment(comment: String) {
        #expect(LaneNote(comment: comment) == nil)
    }
}
