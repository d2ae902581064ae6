// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Reads toxics of toxiproxy, alone or in proxies: one-way latency and jitter in ms, rates in kB/s. The stream
/// "upstream" goes to the server, so it is the uplink.
enum ToxiproxyFormat {
    /// Whether `node` is a toxic, or a proxy with or without toxics.
    static func isDescribed(by node: Node) -> Bool {
        node["toxics"]?.elements != nil || node["type"] != nil && node["attributes"] != nil
            || node["listen"] != nil && node["upstream"] != nil
    }

    /// The toxics of a proxy, or of a list without a proxy.
    private struct Toxics {
        var all: [Node]
        /// The member "enabled" of a proxy that is disabled; nil otherwise.
        var disabled: Node?
    }

    static func read(_ context: ImportContext) throws(ImportError) -> ImportedDraft {
        let root = try context.json()
        let choice = try context.choice(of: lists(in: root, context.fallbackName))
        var draft = ImportedDraft(name: choice.name)
        for toxic in choice.link.all { try add(toxic, to: &draft) }
        if let disabled = choice.link.disabled {
            draft.remark(
                "\(disabled.path) is false: toxiproxy refuses the connections of this proxy; the profile has its toxics as "
                    + "if it were enabled"
            )
        }
        draft.remark("toxiproxy conditions each connection's data; a profile conditions the packets of all")
        return draft
    }

    /// The lists of toxics, each with the name of its proxy, or `fallback` without a proxy.
    private static func lists(in root: Node, _ fallback: String) throws(ImportError) -> [(name: String, link: Toxics)] {
        if root["type"] != nil, root["toxics"] == nil { return [(fallback, Toxics(all: [root]))] }
        if let elements = root.elements, elements.contains(where: { $0["type"] != nil }) {
            return [(fallback, Toxics(all: elements))]
        }
        let isProxy = root["toxics"] != nil || root["listen"] != nil
        let proxies = isProxy ? [root] : root.elements ?? root.members.map(\.node)
        let lists = proxies.compactMap { proxy in
            proxy["toxics"]?.elements.map { toxics in
                let disabled = proxy["enabled"].flatMap { Bool(json: $0.json) == false ? $0 : nil }
                let name = proxy["name"].flatMap { String(json: $0.json) } ?? fallback
                return (name: name, link: Toxics(all: toxics, disabled: disabled))
            }
        }
        let filled = lists.filter { !$0.link.all.isEmpty }
        guard !filled.isEmpty else { throw .invalid(location: root.location, reason: "no toxics") }
        return filled
    }

    private static func add(_ toxic: Node, to draft: inout ImportedDraft) throws(ImportError) {
        guard let type = toxic["type"].flatMap({ String(json: $0.json) }) else {
            throw .invalid(location: toxic.location, reason: "a toxic without a \"type\"")
        }
        let stream = toxic["stream"].flatMap { String(json: $0.json) } ?? "downstream"
        guard stream == "downstream" || stream == "upstream" else {
            throw .invalid(
                location: toxic["stream"]?.location ?? toxic.location,
                reason: "\(JSON.quoted(stream)) is neither upstream nor downstream"
            )
        }
        // `share` returns nil for 0; a toxic without the member has the default of 1.
        let share = try toxic.field("toxicity")?.share(["": 1]) ?? (toxic["toxicity"] == nil ? .one : .zero)
        guard share > .zero else { return draft.leaveOut("\(toxic.path)", "its toxicity is 0") }
        if share < .one { draft.leaveOut("the toxicity of \(toxic.path)", "a profile conditions every connection") }
        let direction = stream == "upstream" ? \ImportedDraft.uplink : \.downlink
        let attributes = toxic["attributes"] ?? Node(json: JSON())
        switch type {
        case "latency":
            guard draft[keyPath: direction].delay == nil, draft[keyPath: direction].jitter == nil else {
                throw .invalid(location: toxic.location, reason: "a second latency toxic of the \(stream)")
            }
            draft[keyPath: direction].delay = try attributes.field("latency")?.time()
            draft[keyPath: direction].jitter = try attributes.field("jitter")?.time().map { Jitter(amount: $0) }
        case "bandwidth":
            guard draft[keyPath: direction].rate == nil else {
                throw .invalid(location: toxic.location, reason: "a second bandwidth toxic of the \(stream)")
            }
            guard let field = try attributes.field("rate"), let rate = try field.rate(["": 8000]) else {
                throw .invalid(location: attributes.location, reason: "a bandwidth toxic without a rate")
            }
            draft[keyPath: direction].rate = rate
        default:
            draft.leaveOut(
                "\(toxic.path), \(JSON.quoted(type))",
                "it acts on connections, which is nothing that a link does"
            )
        }
        draft.leaveOutUnknown(attributes, known: known(type))
        draft.leaveOutUnknown(toxic, known: ["name", "type", "stream", "toxicity", "attributes"])
    }

    private static func known(_ type: String) -> [String] {
        switch type {
        case "latency": ["latency", "jitter"]
        case "bandwidth": ["rate"]
        // Toxics of other types are left out as a whole: no remarks on their attributes.
        default: ["timeout", "delay", "average_size", "size_variation", "bytes"]
        }
    }
}
