// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// `linkcond reflect`, and `verify --peer` against it.
struct ReflectTests {
    @Test(.enabled(if: PrivateLink.isAvailable, PrivateLink.need), arguments: ["10.9.0.2", "fd09::2"])
    func measuresTheLinkToAnotherMachine(address: String) throws {
        try PrivateLink.check("reflect.py", "measuresTheLink('\(address)')")
    }

    @Test(.enabled(if: PrivateLink.isAvailable, PrivateLink.need)) func failsALinkThatIsAnother() throws {
        try PrivateLink.check("reflect.py", "failsAnotherLink()")
    }

    @Test(.enabled(if: PrivateLink.isAvailable, PrivateLink.need)) func keepsStrangersOut() throws {
        try PrivateLink.check("reflect.py", "keepsStrangersOut()")
    }

    @Test(.enabled(if: PrivateLink.isAvailable, PrivateLink.need)) func servesWhoComesAfterOneThatWasKilled() throws {
        try PrivateLink.check("reflect.py", "servesWhoComesAfterOneThatWasKilled()")
    }

    @Test(arguments: [
        (["verify", "DSL", "--peer", "127.0.0.1"], "no key: set LINKCOND_KEY"),
        (["verify", "DSL", "--peer", "127.0.0.1", "--here"], "--peer measures the link that is there"),
        (["verify", "DSL", "-i", "lo"], "--interface and --path-delay need --peer"),
        (["verify", "DSL", "--peer", "127.0.0.1", "--path-delay", "long"], "'long' is not a delay"),
        (["reflect", "--for", "soon"], "'soon' is not a time"),
        (["reflect", "--rate", "fast"], "'fast' is not a rate"),
        (["reflect", "--listen", "127.0.0.1:x"], "has no port after its colon"),
    ])
    func refusesWhatItCannotDo(arguments: [String], words: String) throws {
        let result = try Program.start([Program.path] + arguments)
        #expect(result.status == 64 && result.errors.contains(words), "\(result.errors)")
        #expect(result.bytes.isEmpty)
    }

    @Test func refusesAKeyThatCouldBeGuessed() throws {
        let result = try Program.start(["env", "LINKCOND_KEY=short", Program.path, "reflect"])
        #expect(result.status == 64 && result.errors.contains("less than 16 characters"), "\(result.errors)")
    }

    @Test func endsByItselfAndPrintsAKey() throws {
        let command = [Program.path, "reflect", "--listen", "127.0.0.1:7399", "--for", "1s"]
        let result = try Program.start(command)
        #expect(result.status == 0 && result.output.contains("LINKCOND_KEY="), "\(result.output)\(result.errors)")
    }

    @Test func saysThatNobodyAnswers() throws {
        let command = [
            "env", "LINKCOND_KEY=abcdefghijklmnopqrst", Program.path, "verify", "DSL", "--peer", "127.0.0.1:9",
        ]
        let result = try Program.start(command)
        #expect(result.status == 69 && result.errors.contains("127.0.0.1:9 does not answer"), "\(result.errors)")
    }
}
