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
        #expect(note.words() == words)
    }

    /// In the network that the command named.
    @Test(arguments: [
        (Remedy(.reset, "eth0"), "linkcond reset -i eth0 --container web"),
        (Remedy(.reset), "linkcond reset --container web"),
        (Remedy(.switchProfile, "eth0"), "linkcond switch PROFILE -i eth0 --container web"),
        (Remedy(.switchProfile), "linkcond switch PROFILE, inside the sandbox"),
        (Remedy(.apply), "linkcond apply PROFILE -i DEV --container web"),
        (Remedy(.showStatus), "linkcond status --container web"),
        (Remedy(.resetIfKilled), "if linkcond is killed midway, only \"linkcond reset --container web\" repairs it"),
        (Remedy(.nameRule, "eth0", "2"), "-i eth0 --rule 2, or another of these"),
        (
            Remedy(.repeatOrReset),
            "the command again; if it cannot be read for good, \"linkcond reset --container web\", which deletes it"
        ),
        (Remedy(.repeatReset), "\"linkcond reset --container web\" again, once that entry can be deleted"),
    ])
    func namesTheNetwork(remedy: Remedy, words: String) {
        #expect(remedy.words(in: " --container web") == words)
    }
}
