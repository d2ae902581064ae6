// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Reads a profile of Augmented Traffic Control: rates in kbit/s, one-way delays in ms, shares in percent. ATC applies
/// it by netem below HTB.
enum ATCFormat {
    static func read(_ context: ImportContext) throws(ImportError) -> ImportedDraft {
        let root = try context.json()
        _ = try root.object("a profile of Augmented Traffic Control")
        let shaping = root["shaping"] ?? root["content"] ?? root
        var draft = ImportedDraft(name: root["name"].flatMap { String(json: $0.json) } ?? context.fallbackName)
        guard shaping["down"] != nil || shaping["up"] != nil else {
            throw .invalid(location: shaping.location, reason: "neither \"down\" nor \"up\"")
        }
        if let down = shaping["down"] { draft.downlink = try direction(down, &draft) }
        if let up = shaping["up"] { draft.uplink = try direction(up, &draft) }
        draft.leaveOutUnknown(root, known: ["name", "id", "shaping", "content", "down", "up"])
        return draft
    }

    private static func direction(_ node: Node, _ draft: inout ImportedDraft) throws(ImportError) -> Impairments {
        _ = try node.object("the figures of a direction")
        var figures = Impairments()
        figures.rate = try node.field("rate")?.rate(["": 1e3])
        figures.delay = try node["delay"]?.field("delay")?.time()
        // HTB sets the rate; netem without a rate does not keep packets in order.
        figures.jitter = try node["delay"]?.field("jitter")?.time().map { Jitter(amount: $0, ordered: false) }
        figures.loss = try node["loss"]?.field("percentage")?.share().map(LossModel.random)
        figures.corrupt = try node["corruption"]?.field("percentage")?.share()
        if let probability = try node["reorder"]?.field("percentage")?.share() {
            let gap = try node["reorder"]?.field("gap")?.count(atMost: 1_000_000, of: "packets")
            figures.reorder = Reorder(probability: probability, gap: max(gap ?? 1, 1))
        }
        for name in ["delay", "loss", "corruption", "reorder"] {
            if let correlation = node[name]?["correlation"], !correlation.isNothing {
                draft.leaveOut("\(correlation.path)", "a profile has no correlation")
            }
        }
        if let options = node["iptables_options"], !options.isNothing {
            draft.leaveOut("\(options.path)", "--to, --port and --protocol select traffic")
        }
        draft.leaveOutUnknown(node, known: ["rate", "delay", "loss", "corruption", "reorder", "iptables_options"])
        return figures
    }
}
