// SPDX-License-Identifier: Apache-2.0

extension Impairments {
    /// Reads figures in the format that `json` writes; returns nil for anything else.
    ///
    /// The limits of a profile are not checked, since a kernel may report figures beyond them.
    public init?(json: JSON) {
        var reader = NodeReader(isStrict: false)
        let impairments = reader.impairments(Node(json: json), allowsHold: true)
        guard let impairments, reader.issues.isEmpty else { return nil }
        self = impairments
    }
}

extension NodeReader {
    static let impairmentKeys = [
        "rate", "trace", "delay", "jitter", "loss", "duplicate", "corrupt", "reorder", "queue", "competing",
        "overhead", "ecn",
    ]

    /// Reads one direction. `allowsHold` accepts a rate of zero, which steps of a schedule may have.
    mutating func impairments(_ node: Node, allowsHold: Bool = false) -> Impairments? {
        guard isObject(node, keys: Self.impairmentKeys, what: "an object of impairments") else { return nil }
        var result = Impairments()
        result.rate = optional("rate", of: node) { $0.rate($1) }
        result.trace = optional("trace", of: node) { $0.trace($1) }
        result.delay = optional("delay", of: node) { $0.duration($1) }
        result.jitter = optional("jitter", of: node) { $0.jitter($1) }
        result.loss = optional("loss", of: node) { $0.loss($1) }
        result.duplicate = optional("duplicate", of: node) { $0.probability($1) }
        let corruption = optional("corrupt", of: node) { $0.corruption($1) }
        (result.corrupt, result.longestCorruption) = (corruption?.share, corruption?.longest)
        result.reorder = optional("reorder", of: node) { $0.reorder($1) }
        let queue = optional("queue", of: node) { $0.queue($1) }
        (result.queue, result.queueManagement) = (queue?.size, queue?.management)
        result.competing = optional("competing", of: node) { $0.competing($1) }
        result.overhead = optional("overhead", of: node) { $0.overhead($1) }
        result.ecn = optional("ecn", of: node) { $0.bool($1) }
        if let rate = node["rate"], result.rate?.isZero == true, !allowsHold {
            let expected = "a rate above zero, or \"loss\": \"100 %\""
            report("a rate of zero never sends anything", at: rate, expected: expected)
        }
        if node["rate"] != nil, let trace = node["trace"] {
            report("rate and trace together: a link has one bottleneck", at: trace, expected: "one of the two")
        }
        return result
    }

    private mutating func trace(_ node: Node) -> TraceReference? {
        guard isObject(node, keys: ["file", "format", "loop"], what: "an object with the keys \"file\" and \"format\"")
        else { return nil }
        let file = required("file", of: node, expected: "a path relative to the profile") { $0.string($1) }
        let formats = "\"mahimahi\" or \"seconds-mbit\""
        let format: TraceReference.Format? = required("format", of: node, expected: formats) { $0.choice($1) }
        let loop = optional("loop", of: node) { $0.bool($1) }
        if let file, let member = node["file"] {
            if file.isEmpty { report("the path is empty", at: member) }
            if file.containsControlCharacter { report("the path contains a control character", at: member) }
        }
        guard let file, let format else { return nil }
        return TraceReference(file: file, format: format, loop: loop ?? true)
    }

    private mutating func jitter(_ node: Node) -> Jitter? {
        guard case .object = node.json.value else { return duration(node).map { Jitter(amount: $0) } }
        guard isObject(node, keys: ["amount", "distribution", "ordered"], what: "jitter") else { return nil }
        let amount = required("amount", of: node, expected: "a time such as \"20 ms\"") { $0.duration($1) }
        let distribution: Jitter.Distribution? = optional("distribution", of: node) { $0.choice($1) }
        let ordered = optional("ordered", of: node) { $0.bool($1) }
        return amount.map { Jitter(amount: $0, distribution: distribution ?? .uniform, ordered: ordered ?? true) }
    }

    private mutating func reorder(_ node: Node) -> Reorder? {
        guard isObject(node, keys: ["probability", "gap"], what: "an object with the key \"probability\"") else {
            return nil
        }
        let gap = optional("gap", of: node) { $0.integer($1, in: 1...1_000_000) }
        return required("probability", of: node, expected: "a share such as \"5 %\"") { $0.probability($1) }
            .map { Reorder(probability: $0, gap: gap ?? 1) }
    }

    private mutating func overhead(_ node: Node) -> Overhead? {
        let keys = ["packet", "cell", "cellOverhead"]
        guard isObject(node, keys: keys, what: "an object with the key \"packet\"") else { return nil }
        let packet = required("packet", of: node, expected: "bytes, such as 24") { $0.integer($1, in: -1000...1000) }
        let cell = optional("cell", of: node) { $0.integer($1, in: 1...65535) }
        let cellOverhead = optional("cellOverhead", of: node) { $0.integer($1, in: 0...1000) }
        if cellOverhead != nil, node["cell"] == nil, let member = node["cellOverhead"] {
            report("cellOverhead without a cell to add it to", at: member, expected: "\"cell\" beside it")
        }
        return packet.map { Overhead(packet: $0, cell: cell, cellOverhead: cellOverhead) }
    }

    private mutating func loss(_ node: Node) -> LossModel? {
        let models = ["gilbertElliott", "fourState"]
        let expectation =
            "a share such as \"10 %\", or an object with one of the keys \(models.joined(separator: ", ")), or with "
            + "random and longestBurst"
        guard case .object = node.json.value else {
            return quantity(node, expected: expectation, Probability.parse).map(LossModel.random)
        }
        if isLimitedBursts(node) { return limitedBursts(node).map(LossModel.limited) }
        let problems = (none: "no loss model", several: "two loss models")
        guard let model = onlyMember(of: node, keys: models, problems, expected: expectation) else { return nil }
        return model.name == "fourState"
            ? fourState(model.node).map(LossModel.fourState)
            : gilbertElliott(model.node).map(LossModel.gilbertElliott)
    }

    private mutating func gilbertElliott(_ node: Node) -> GilbertElliott? {
        let observed = ["loss", "burst"]
        let chain = ["p", "r", "lossInBad", "lossInGood"]
        guard isObject(node, keys: observed + chain, what: "an object with the keys loss and burst, or p and r") else {
            return nil
        }
        let isObserved = observed.contains { node[$0] != nil }
        let isChain = chain.contains { node[$0] != nil }
        guard isObserved != isChain else {
            report(
                isChain ? "two descriptions of the chain at once" : "the chain has no figures",
                at: node,
                expected: "the keys loss and burst, or p and r"
            )
            return nil
        }
        guard isObserved else {
            let p = required("p", of: node, expected: "a share such as \"1 %\"") { $0.probability($1) }
            let r = required("r", of: node, expected: "a share such as \"30 %\"") { $0.probability($1) }
            let bad = optional("lossInBad", of: node) { $0.probability($1) }
            let good = optional("lossInGood", of: node) { $0.probability($1) }
            guard let p, let r else { return nil }
            return GilbertElliott(p: p, r: r, lossInBad: bad ?? .one, lossInGood: good ?? .zero)
        }
        let loss = required("loss", of: node, expected: "a mean loss such as \"1 %\"") { $0.probability($1) }
        let burst = required("burst", of: node, expected: "a mean burst in packets, such as 3") {
            $0.number($1, in: 1...1_000_000)
        }
        guard let loss, let burst else { return nil }
        guard let model = GilbertElliott(loss: loss, burst: burst) else {
            let problem = "no chain loses \(loss) of the packets in bursts of \(burst.short) packets on average"
            report(problem, at: node, expected: "a loss below 100 % and a burst of at least loss / (1 - loss) packets")
            return nil
        }
        return model
    }

    private mutating func fourState(_ node: Node) -> FourState? {
        let keys = ["p13", "p31", "p32", "p23", "p14"]
        guard isObject(node, keys: keys, what: "an object with the key p13") else { return nil }
        let p13 = required("p13", of: node, expected: "a share such as \"1 %\"") { $0.probability($1) }
        let p31 = optional("p31", of: node) { $0.probability($1) }
        let p32 = optional("p32", of: node) { $0.probability($1) }
        let p23 = optional("p23", of: node) { $0.probability($1) }
        let p14 = optional("p14", of: node) { $0.probability($1) }
        guard let p13 else { return nil }
        let model = FourState(p13: p13, p31: p31, p32: p32, p23: p23, p14: p14)
        for (names, one, other) in [("p13 and p14", model.p13, model.p14), ("p31 and p32", model.p31, model.p32)]
        where isStrict && one.fraction + other.fraction > 1 {
            report("the sum of \(names), which leave the same state, is above 100 %", at: node)
        }
        return model
    }
}
