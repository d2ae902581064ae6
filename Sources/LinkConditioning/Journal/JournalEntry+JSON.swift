// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinuxSystem
internal import TrafficControl

extension JournalEntry {
    var json: JSON {
        JSON(
            ("boot", .text(place.bootID)),
            ("namespace", .number(place.network.inode)),
            ("cookie", .number(place.network.number.cookie)),
            ("mark", .number(place.network.number.mark)),
            ("index", .number(index)),
            ("interface", .text(name)),
            ("address", .text(address)),
            ("madeHook", .bool(madeHook)),
            ("previousMTU", .number(previousMTU)),
            ("previousSettings", .text(previousSettings?.text)),
            ("rules", .list(rules.map(\.json))),
            ("suspended", .list(suspended.map(\.json))),
            ("change", change?.json)
        )
    }
}

extension JournalEntry: JSONReadable {
    package init?(json: JSON) {
        guard let bootID: String = json.required("boot"),
            let network = NetworkIdentity(json: json),
            let index: Int32 = json.required("index"),
            let name: String = json.required("interface"),
            let address: String = json.required("address"),
            let madeHook: Bool = json.required("madeHook"),
            let previousMTU: UInt32? = json.optional("previousMTU"),
            let previousSettings: LoopbackSettings? = json.optional("previousSettings"),
            let rules: [Rule] = json.required("rules"),
            let suspended: [Rule] = json.required("suspended"),
            let change: Change? = json.optional("change")
        else { return nil }
        self.init(place: JournalPlace(bootID: bootID, network: network), index: index, name: name, address: address)
        self.madeHook = madeHook
        self.previousMTU = previousMTU
        self.previousSettings = previousSettings
        self.rules = rules
        self.suspended = suspended
        self.change = change
    }
}

extension NetworkIdentity {
    fileprivate init?(json: JSON) {
        guard let inode: UInt64 = json.required("namespace"),
            let cookie: UInt64? = json.optional("cookie"),
            let mark: UInt64? = json.optional("mark"),
            let number = cookie.map(Number.cookie) ?? mark.map(Number.mark)
        else { return nil }
        self.init(inode: inode, number: number)
    }
}

extension NetworkIdentity.Number {
    fileprivate var cookie: UInt64? { if case .cookie(let cookie) = self { cookie } else { nil } }
    fileprivate var mark: UInt64? { if case .mark(let mark) = self { mark } else { nil } }
}

extension JournalEntry.Rule: JSONReadable {
    fileprivate var json: JSON {
        JSON(
            ("traffic", .text(selection)),
            ("profile", profile.json),
            ("seed", .number(seed)),
            ("beforeForeign", .bool(beforeForeign)),
            ("engine", .text(engine.rawValue)),
            ("owner", owner.json),
            ("uid", .number(userID)),
            ("since", .number(since)),
            ("ending", ending?.json)
        )
    }

    package init?(json: JSON) {
        guard let selection: Selection = json.required("traffic"),
            let profile = json["profile"].flatMap({ try? Profile(json: $0) }),
            let seed: UInt64? = json.optional("seed"),
            let beforeForeign: Bool = json.required("beforeForeign"),
            let engine: Engine = json.required("engine"),
            let owner: ProcessIdentity = json.required("owner"),
            let userID: UInt32 = json.required("uid"),
            let since: Int = json.required("since"),
            let ending: JournalEntry.Ending? = json.optional("ending")
        else { return nil }
        self.init(
            selection: selection,
            profile: profile,
            seed: seed,
            beforeForeign: beforeForeign,
            engine: engine,
            owner: owner,
            userID: userID,
            since: since,
            ending: ending
        )
    }
}

extension LoopbackSettings: JSONReadable {
    package init?(json: JSON) {
        guard let text = String(json: json) else { return nil }
        self.init(text)
    }
}

extension Engine: JSONReadable {}

extension JournalEntry.Ending: JSONReadable {
    fileprivate var json: JSON {
        JSON(
            ("guardian", guardian.json),
            ("until", .number(until?.nanoseconds)),
            ("confirmBy", .number(confirmBy?.nanoseconds)),
            ("isTied", .bool(isTied))
        )
    }

    package init?(json: JSON) {
        guard let guardian: ProcessIdentity = json.required("guardian"),
            let until: Int64? = json.optional("until"),
            let confirmBy: Int64? = json.optional("confirmBy"),
            let isTied: Bool = json.required("isTied")
        else { return nil }
        self.init(
            guardian: guardian,
            until: until.map { .nanoseconds($0) },
            confirmBy: confirmBy.map { .nanoseconds($0) },
            isTied: isTied
        )
    }
}

extension JournalEntry.Change: JSONReadable {
    fileprivate var json: JSON {
        JSON(
            ("owner", owner.json),
            ("command", .text(command)),
            ("traffic", .text(selection)),
            ("isRemoval", .bool(isRemoval))
        )
    }

    package init?(json: JSON) {
        guard let owner: ProcessIdentity = json.required("owner"),
            let command: String = json.required("command"),
            let selection: Selection? = json.optional("traffic"),
            let isRemoval: Bool = json.required("isRemoval")
        else { return nil }
        self.init(owner: owner, command: command, selection: selection, isRemoval: isRemoval)
    }
}

extension ProcessIdentity: JSONReadable {
    fileprivate var json: JSON {
        JSON(
            ("pid", .number(processID)),
            ("startTime", .number(startTime)),
            ("pidNamespace", .number(namespace))
        )
    }

    package init?(json: JSON) {
        guard let processID: Int32 = json.required("pid"),
            let startTime: UInt64 = json.required("startTime"),
            let namespace: UInt64 = json.required("pidNamespace")
        else { return nil }
        self.init(processID: processID, startTime: startTime, namespace: namespace)
    }
}
