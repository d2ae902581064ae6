// SPDX-License-Identifier: Apache-2.0

import ProfileCatalog
import TestKit
import Testing

@testable import linkcond

@Suite struct MisplacedWordsTests {
    private func mistake(_ type: CommandName, _ words: String...) -> MisplacedWords? {
        MisplacedWords(type.type, words, Catalog(directories: []), interfaces: ["lo", "eth0"])
    }

    @Test func joinsTheWordsOfAName() {
        let found = mistake(.run, "Slow", "Net", "--offline", "--", "x", "y z")
        #expect(found?.problem == "\"Slow Net\" is one name: write it with dashes, or quote it")
        #expect(found?.remedy == "linkcond run slow-net --offline -- x 'y z'")
        #expect(mistake(.show, "very", "bad", "network")?.remedy == "linkcond show very-bad-network")
        #expect(mistake(.switch, "Black", "Hole")?.remedy == "linkcond switch black-hole")
    }

    @Test func putsTheOptionBeforeAnInterface() {
        #expect(mistake(.apply, "3G", "eth0")?.remedy == "linkcond apply 3G -i eth0")
        #expect(mistake(.apply, "eth0", "3G")?.remedy == "linkcond apply -i eth0 3G")
        #expect(mistake(.reset, "eth0")?.remedy == "linkcond reset -i eth0")
        #expect(mistake(.status, "eth0")?.problem == "an interface is given with -i")
        let both = mistake(.apply, "Slow", "Net", "eth0", "--for", "10m")
        #expect(both?.remedy == "linkcond apply slow-net -i eth0 --for 10m")
    }

    @Test func leavesOutTheOptionOfAProfile() {
        let found = mistake(.run, "-p", "3g", "--offline", "--", "true")
        #expect(found?.problem == "a profile is given without -p")
        #expect(found?.remedy == "linkcond run 3g --offline -- true")
        #expect(mistake(.show, "--profile=lte", "--json")?.remedy == "linkcond show lte --json")
        #expect(mistake(.run, "-p", "--", "true") == nil)
    }

    @Test func makesAMatrixOfSeveralProfiles() {
        let found = mistake(.run, "3g", "lte", "--", "true")
        #expect(found?.problem == "run has one profile, matrix several")
        #expect(found?.remedy == "linkcond matrix 3g lte -- true")
        #expect(mistake(.run, "-p", "3g", "-p", "lte", "--", "true")?.remedy == "linkcond matrix 3g lte -- true")
        #expect(mistake(.run, "3g", "curl", "--", "true") == nil)
        #expect(mistake(.verify, "3g", "lte") == nil)
    }

    @Test func leavesOtherMistakesToTheParser() {
        #expect(mistake(.apply, "3G") == nil)
        #expect(mistake(.reset, "eth7") == nil)
        #expect(mistake(.show, "Slow", "Nett") == nil)
        #expect(mistake(.status, "--jsn") == nil)
    }

    @Test func fails() throws {
        let run = try Program.run("run", "Slow", "Net", "--", "true")
        #expect(run.status == 125 && run.errors.contains("linkcond: try: linkcond run slow-net -- true\n"), "\(run)")
        let reset = try Program.run("reset", "lo")
        #expect(reset.status == 64 && reset.errors.contains("linkcond: try: linkcond reset -i lo\n"), "\(reset)")
    }
}
