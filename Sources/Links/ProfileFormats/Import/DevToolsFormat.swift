// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Reads the network conditions of Chrome's DevTools protocol (bytes/s), of Puppeteer (bytes/s, with shorter names) and
/// of Lighthouse (kbit/s). Latencies are round trips.
enum DevToolsFormat {
    /// The names of the members with the rates and the latency, and the unit of the rates.
    private struct Names {
        let down: String
        let up: String
        let latency: String
        /// The unit of the rates in bit/s.
        let unit: Double
    }

    private static let all = [
        Names(down: "downloadThroughput", up: "uploadThroughput", latency: "latency", unit: 8),
        Names(down: "download", up: "upload", latency: "latency", unit: 8),
        Names(down: "throughputKbps", up: "uploadThroughputKbps", latency: "rttMs", unit: 1000),
        Names(down: "downloadThroughputKbps", up: "uploadThroughputKbps", latency: "requestLatencyMs", unit: 1000),
    ]

    static func isDescribed(by node: Node) -> Bool {
        conditions(in: node).flatMap(names) != nil || rules(in: node)?.contains { names(of: $0) != nil } ?? false
    }

    /// The conditions of Network.emulateNetworkConditionsByRule, each for the requests to some addresses.
    private static func rules(in node: Node) -> [Node]? {
        (node["matchedNetworkConditions"] ?? node["params"]?["matchedNetworkConditions"])?.elements
    }

    /// The object with the conditions: the root, or an object inside a protocol message or a configuration.
    private static func conditions(in node: Node) -> Node? {
        [node, node["params"], node["throttling"], node["settings"]?["throttling"]].compactMap { $0 }
            .first { names(of: $0) != nil }
    }

    private static func names(of node: Node) -> Names? {
        // Lighthouse has the link's figures as well as the browser's: prefers names whose rate is not zero.
        let isGiven = { (name: String) in node[name].map { !$0.isNothing } ?? false }
        return all.first { isGiven($0.down) && (node[$0.latency] != nil || node[$0.up] != nil) }
            ?? all.first { node[$0.down] != nil && (node[$0.latency] != nil || node[$0.up] != nil) }
    }

    static func read(_ context: ImportContext) throws(ImportError) -> ImportedDraft {
        let root = try context.json()
        var draft = ImportedDraft(name: context.fallbackName)
        let rule = try rule(in: root, context, &draft)
        guard let node = rule ?? conditions(in: root), let names = names(of: node) else {
            throw .invalid(location: root.location, reason: "neither downloadThroughput nor throughputKbps")
        }
        draft.downlink.rate = try rate(names.down, of: node, unit: names.unit)
        draft.uplink.rate = try rate(names.up, of: node, unit: names.unit)
        if names.down == "throughputKbps" { try completeLighthouse(node, &draft) }
        let delay = try node.field(names.latency)?.halfOfRoundTrip()
        let loss = try node.field("packetLoss")?.share().map(LossModel.random)
        for direction in [\ImportedDraft.downlink, \.uplink] {
            draft[keyPath: direction].delay = delay
            draft[keyPath: direction].loss = loss
        }
        if delay != nil { draft.remark("\(names.latency) is a round trip: half of it is the delay of each direction") }
        if names.latency != "rttMs", delay != nil {
            draft.remark(
                "a browser delays requests, not packets: one that opens a connection pays a link's delay more often"
            )
        }
        if loss != nil { draft.remark("in a browser, packetLoss is of WebRTC only; here it is of every packet") }
        let places = rule == nil ? [node] : [node, root, root["params"]].compactMap { $0 }
        if places.contains(where: { $0["offline"].flatMap { Bool(json: $0.json) } == true }) {
            (draft.downlink.loss, draft.uplink.loss) = (.random(.one), .random(.one))
            draft.remark("offline is a link that loses everything: requests wait, where a browser's fail at once")
        }
        leaveOutRest(of: node, names, &draft)
        return draft
    }

    /// The rule that `--name` selects, or the only rule; nil if there are none.
    private static func rule(
        in root: Node,
        _ context: ImportContext,
        _ draft: inout ImportedDraft
    ) throws(ImportError) -> Node? {
        guard let rules = rules(in: root), !rules.isEmpty else { return nil }
        let patterns = rules.map { $0["urlPattern"].flatMap { String(json: $0.json) } ?? "" }
        let links = zip(patterns, rules).map { (name: $0.isEmpty ? "all addresses" : $0, link: $1) }
        // With a single rule, --name is the name of the profile.
        let choice = links.count == 1 ? links[0] : try context.choice(of: links)
        if links.count > 1 { draft.name = "devtools" }
        let pattern = choice.link["urlPattern"].flatMap { $0.isNothing ? nil : $0 }
        if let pattern {
            draft.leaveOut("\(pattern.path)", "a profile conditions all requests; choose traffic by --to and --port")
        }
        return choice.link
    }

    /// Reads a rate; nil if it is -1 or 0, which both mean no limit.
    private static func rate(_ name: String, of node: Node, unit: Double) throws(ImportError) -> BitRate? {
        guard let field = try node.field(name), Double(field.text) != -1 else { return nil }
        return try field.rate(["": unit])
    }

    /// Completes the uplink's rate for Lighthouse: the browser's rate divided by 0.9, since Lighthouse gives the
    /// browser 0.9 of the link's rate; or else the downlink's rate.
    private static func completeLighthouse(_ node: Node, _ draft: inout ImportedDraft) throws(ImportError) {
        guard let rate = draft.uplink.rate else {
            draft.uplink.rate = draft.downlink.rate
            return draft.remark("the uplink has the rate of the downlink: Lighthouse has one rate")
        }
        let bits = (Double(rate.bitsPerSecond) / 0.9).rounded()
        draft.uplink.rate = BitRate(bitsPerSecond: UInt64(bits))
        draft.remark("the uplink's rate is uploadThroughputKbps / 0.9: Lighthouse gives a browser 0.9 of the link's")
    }

    private static func leaveOutRest(of node: Node, _ names: Names, _ draft: inout ImportedDraft) {
        for name in ["packetQueueLength", "packetReordering", "connectionType", "cpuSlowdownMultiplier"] {
            guard let member = node[name], !member.isNothing, String(json: member.json) != "none" else { continue }
            if name == "cpuSlowdownMultiplier", case .number("1") = member.json.value { continue }
            draft.leaveOut(
                "\(member.path)",
                name == "cpuSlowdownMultiplier" ? "it is not of the link" : "it is the browser's own"
            )
        }
        let lighthouse = [
            "requestLatencyMs", "downloadThroughputKbps", "uploadThroughputKbps", "throughputKbps", "rttMs",
        ]
        let known = [
            names.down, names.up, names.latency, "packetLoss", "offline", "packetQueueLength", "packetReordering",
            "urlPattern",
        ]
        draft.leaveOutUnknown(node, known: known + lighthouse + ["connectionType", "cpuSlowdownMultiplier"])
    }
}
