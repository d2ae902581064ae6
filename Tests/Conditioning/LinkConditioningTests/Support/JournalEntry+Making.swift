// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinuxSystem

@testable import ConditioningTestSupport
@testable import LinkConditioning
@testable import TrafficControl

extension JournalNetwork {
    static let here = JournalNetwork(
        bootID: "5f0e",
        identity: NetworkIdentity(inode: 4_026_531_840, number: .cookie(4097))
    )
}

extension ProcessIdentity {
    /// A process by its number.
    static func made(_ processID: Int32) -> ProcessIdentity {
        ProcessIdentity(processID: processID, startTime: 1000, namespace: 1)
    }
}

extension JournalEntry {
    /// An entry for eth0.
    static func made(_ rules: [Rule] = [], change: Change? = nil) -> JournalEntry {
        var entry = JournalEntry(network: .here, index: 2, name: "eth0", address: "020000000001")
        entry.rules = rules
        entry.change = change
        return entry
    }

    /// An entry in which nothing is absent.
    static let full: JournalEntry = {
        let ending = Ending(guardian: .made(43), until: .seconds(600), confirmBy: .milliseconds(30_500))
        var rule = Rule.made(.slowNet, "to 10.0.0.0/8 exclude port 22", ending: ending)
        rule.seed = .max
        rule.beforeForeign = true
        rule.engine = .userspace
        rule.ending?.isTied = true
        var entry = made([rule, .made(.delay(10))])
        entry.suspended = [.made(.blackHole, "port 80")]
        entry.originals.madeHook = true
        entry.originals.previousMTU = 65536
        entry.originals.previousSettings = LoopbackSettings("0,0,1")
        entry.change = .made("switch", "port 80")
        return entry
    }()
}

extension JournalEntry.Rule {
    /// A rule that root made at a fixed time.
    static func made(
        _ profile: Profile,
        _ selection: String = "everything",
        ending: JournalEntry.Ending? = nil
    ) -> JournalEntry.Rule {
        JournalEntry.Rule(.made(profile, selection), owner: .made(42), ending: ending)
    }
}

extension JournalEntry.Change {
    /// A change to one rule, or to all of them.
    static func made(
        _ command: String,
        _ selection: String? = "everything",
        isRemoval: Bool = false
    ) -> JournalEntry.Change {
        JournalEntry.Change(
            owner: .made(42),
            command: command,
            selection: selection.flatMap { Selection($0) },
            isRemoval: isRemoval
        )
    }
}
