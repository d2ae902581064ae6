// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import Testing

@testable import linkcond

/// Notes of the library in the words of the program.
@Suite struct ConditioningNoteWordsTests {
    @Test(arguments: [
        (ConditioningNote("the MTU of lo is 1500"), "the MTU of lo is 1500"),
        (
            ConditioningNote("eth0 carries /home", remedy: Remedy(.excludeAddress, "10.0.0.5")),
            "eth0 carries /home; --exclude 'to 10.0.0.5' prevents it"
        ),
        (
            ConditioningNote("no $XDG_RUNTIME_DIR, so no journal", remedy: Remedy(.resetIfKilled)),
            "no $XDG_RUNTIME_DIR, so no journal: if linkcond is killed midway, only \"linkcond reset\" repairs it"
        ),
        (
            ConditioningNote("eth0 keeps it", remedy: Remedy(.reset, "eth0")),
            "eth0 keeps it\ntry: linkcond reset -i eth0"
        ),
    ])
    func saysWhatToType(note: ConditioningNote, words: String) {
        #expect(note.words == words)
    }
}
