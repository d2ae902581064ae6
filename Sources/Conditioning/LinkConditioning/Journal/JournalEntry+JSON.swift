// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
package import LinuxSystem
internal import TrafficControl

extension JournalEntry: JSONObject {
    static let blank = JournalEntry(
        network: JournalNetwork(bootID: "", identity: NetworkIdentity(inode: 0, number: .cookie(0))),
        index: 0,
        name: "",
        address: ""
    )

    mutating func describe(_ members: inout JSONMembers) {
        members.required("boot", &network.bootID)
        members.required("namespace", &network.identity.inode)
        describe(&network.identity.number, &members)
        members.required("index", &index)
        members.required("interface", &name)
        members.required("address", &address)
        members.required("madeHook", &originals.madeHook)
        members.optional("previousMTU", &originals.previousMTU)
        members.optional("previousSettings", &originals.previousSettings)
        members.required("rules", &rules)
        members.required("suspended", &suspended)
        members.optional("change", &change)
    }

    private func describe(_ number: inout NetworkIdentity.Number, _ members: inout JSONMembers) {
        var cookie: UInt64?
        var mark: UInt64?
        switch number {
        case .cookie(let value): cookie = value
        case .mark(let value): mark = value
        }
        members.optional("cookie", &cookie)
        members.optional("mark", &mark)
        guard let described = cookie.map(NetworkIdentity.Number.cookie) ?? mark.map(NetworkIdentity.Number.mark) else {
            return members.refuse()
        }
        number = described
    }
}

extension JournalEntry.Rule: JSONObject {
    static let blank = JournalEntry.Rule(
        selection: Selection(),
        profile: Profile(name: ""),
        beforeForeign: false,
        engine: .netem,
        owner: .blank,
        userID: 0,
        since: 0
    )

    mutating func describe(_ members: inout JSONMembers) {
        members.required("traffic", &selection)
        members.required("profile", &profile, write: \.json) { try? Profile(json: $0) }
        // Entries written before `facing` was recorded lack it.
        var recorded: Facing? = facing
        members.optional("facing", &recorded)
        facing = recorded ?? .host
        members.optional("seed", &seed)
        members.required("beforeForeign", &beforeForeign)
        members.required("engine", &engine)
        members.required("owner", &owner)
        members.required("uid", &userID)
        members.required("since", &since)
        members.optional("ending", &ending)
    }
}

extension JournalEntry.Ending: JSONObject {
    static let blank = JournalEntry.Ending(guardian: .blank)

    mutating func describe(_ members: inout JSONMembers) {
        members.required("guardian", &guardian)
        members.optional("until", &until)
        members.optional("confirmBy", &confirmBy)
        members.required("isTied", &isTied)
    }
}

extension JournalEntry.Change: JSONObject {
    static let blank = JournalEntry.Change(owner: .blank, command: "", isRemoval: false)

    mutating func describe(_ members: inout JSONMembers) {
        members.required("owner", &owner)
        members.required("command", &command)
        members.optional("traffic", &selection)
        members.required("isRemoval", &isRemoval)
    }
}

extension ProcessIdentity: JSONObject {
    package static let blank = ProcessIdentity(processID: 0, startTime: 0, namespace: 0)

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("pid", &processID)
        members.required("startTime", &startTime)
        members.required("pidNamespace", &namespace)
    }
}

extension Engine: JSONConvertible {}

extension Selection: JSONConvertible {
    package var json: JSON { description.json }

    package init?(json: JSON) {
        guard let text = String(json: json) else { return nil }
        self.init(text)
    }
}

extension LoopbackSettings: JSONConvertible {
    package var json: JSON { text.json }

    package init?(json: JSON) {
        guard let text = String(json: json) else { return nil }
        self.init(text)
    }
}
