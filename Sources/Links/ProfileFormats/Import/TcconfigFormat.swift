// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Reads the output of tcconfig's tcshow: rules by device, direction and filter. Delays are one-way.
enum TcconfigFormat {
    static func read(_ context: ImportContext) throws(ImportError) -> ImportedDraft {
        let root = try context.json()
        var devices: [(name: String, link: Node)] = []
        for (name, node) in try root.object("what tcshow prints")
        where node["outgoing"]?.isNothing == false || node["incoming"]?.isNothing == false {
            devices.append((name, node))
        }
        guard !devices.isEmpty else {
            throw .invalid(location: root.location, reason: "no device with \"outgoing\" or \"incoming\" rules")
        }
        let (name, device) = try context.choice(of: devices)
        var draft = ImportedDraft(name: "tcconfig \(name)")
        if let rules = device["outgoing"] { draft.uplink = try direction(rules, &draft) }
        if let rules = device["incoming"] { draft.downlink = try direction(rules, &draft) }
        draft.leaveOutUnknown(device, known: ["outgoing", "incoming"])
        return draft
    }

    private static let times: KeyValuePairs<String, Double> = [
        "": 1e-3, "ms": 1e-3, "us": 1e-6, "s": 1, "sec": 1, "min": 60, "m": 60, "h": 3600,
    ]
    private static let rates: KeyValuePairs<String, Double> = [
        "": 1, "bps": 1, "K": 1e3, "Kbps": 1e3, "Kbit": 1e3, "M": 1e6, "Mbps": 1e6, "Mbit": 1e6, "G": 1e9, "Gbps": 1e9,
        "Gbit": 1e9, "bit": 1,
    ]

    private static func direction(_ node: Node, _ draft: inout ImportedDraft) throws(ImportError) -> Impairments {
        let rules = try node.object("rules by their filters").filter { !$0.node.isNothing }
        guard rules.count <= 1 else {
            throw .invalid(
                location: node.location,
                reason: "\(rules.count) rules; a profile is one, for all or for selected traffic"
            )
        }
        guard let (filter, rule) = rules.first else { return Impairments() }
        if !["protocol=ip", "network=0.0.0.0/0", "dst-network=0.0.0.0/0, protocol=ip"].contains(filter) {
            draft.leaveOut(
                "the filter \(JSON.quoted(filter))",
                "--to, --port and --protocol of \"apply\" select traffic"
            )
        }
        var figures = Impairments()
        figures.rate = try rule.field("rate")?.rate(rates)
        figures.delay = try rule.field("delay")?.time(times)
        if let amount = try rule.field("delay-distro")?.time(times) {
            // HTB sets the rate; netem without a rate does not keep packets in order.
            figures.jitter = Jitter(amount: amount, distribution: .normal, ordered: false)
            draft.remark("tcshow does not print the distribution of the delay: tcset's normal one is assumed")
        }
        figures.loss = try rule.field("loss")?.share().map(LossModel.random)
        figures.duplicate = try rule.field("duplicate")?.share()
        figures.corrupt = try rule.field("corrupt")?.share()
        if let probability = try rule.field("reordering")?.share() {
            figures.reorder = Reorder(probability: probability)
        }
        let known = [
            "rate", "delay", "delay-distro", "loss", "duplicate", "corrupt", "reordering",
        ]
        draft.leaveOutUnknown(rule, known: known + ["filter_id"])
        return figures
    }
}
