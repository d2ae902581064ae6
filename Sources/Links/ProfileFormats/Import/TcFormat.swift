// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Reads the output of `tc qdisc show`, as text or as JSON (-j): netem(8), and tbf(8) as its parent or child; cake with a
/// shaper; and queues that are managed (fq_codel and others) below these.
///
/// A qdisc acts on packets that leave its device: the uplink. An ifb device, to which arriving packets are redirected,
/// is the downlink.
enum TcFormat {
    /// The kinds of qdiscs that are ignored, since they have no figures of a link.
    private static let plain: Set = [
        "noqueue", "pfifo_fast", "pfifo", "bfifo", "mq", "fq", "fq_codel", "sfq", "clsact", "ingress", "noop",
    ]

    static func read(_ context: ImportContext) throws(ImportError) -> ImportedDraft {
        let isJSON = context.text.first { !$0.isWhitespace } == "["
        let qdiscs = isJSON ? try ListedQdisc.list(context.json()) : try ListedQdisc.list(context.text)
        var devices: [(name: String, link: [ListedQdisc])] = []
        for qdisc in qdiscs where !plain.contains(qdisc.kind) && (qdisc.discipline == nil || qdisc.shapes) {
            if let index = devices.firstIndex(where: { $0.name == qdisc.device }) {
                devices[index].link.append(qdisc)
            } else {
                devices.append((qdisc.device, [qdisc]))
            }
        }
        devices = devices.flatMap { links(of: $0.link, on: $0.name) }
        guard !devices.isEmpty else { throw .invalid(location: "", reason: "no netem and no tbf") }
        let managed = qdiscs.filter { $0.discipline != nil }
        let incoming = devices.filter { $0.name.hasPrefix("ifb") }
        var draft = ImportedDraft(name: context.fallbackName)
        if context.name != nil || devices.count - incoming.count > 1 || incoming.count > 1 {
            devices = [try context.choice(of: devices)]
            draft.name = "tc \(devices[0].name)"
        }
        for (name, qdiscs) in devices {
            let isIncoming = name.hasPrefix("ifb")
            let direction = isIncoming ? \ImportedDraft.downlink : \.uplink
            var link = try figures(of: qdiscs, on: name, &draft)
            if let queue = queue(of: qdiscs, among: managed) { try queue.readQueue(&link, &draft) }
            draft[keyPath: direction] = link
            let device = name.isEmpty ? "the device" : name
            draft.remark("what leaves \(device) is taken for the \(isIncoming ? "downlink" : "uplink")")
        }
        return draft
    }

    /// The links of a device: sibling classes carry different traffic, and so are different links. A qdisc and its
    /// ancestors are one link.
    private static func links(of qdiscs: [ListedQdisc], on device: String) -> [(name: String, link: [ListedQdisc])] {
        let byHandle = Dictionary(qdiscs.map { ($0.handle, $0) }) { first, _ in first }
        let chains = qdiscs.filter(\.shapes).map { $0.chain(in: byHandle) }
        let above = Set(chains.flatMap { $0.dropFirst().map(\.location) })
        let lowest = chains.filter { !above.contains($0[0].location) }
        guard lowest.count > 1 else { return chains.isEmpty ? [] : [(device, qdiscs)] }
        return lowest.map { chain in
            let own = chain[0].parent.isEmpty ? chain[0].handle : chain[0].parent
            return (device.isEmpty ? own : "\(device) \(own)", chain)
        }
    }

    /// The managed queue of a link: cake that shapes, or the first one below a qdisc of the link.
    private static func queue(of link: [ListedQdisc], among managed: [ListedQdisc]) -> ListedQdisc? {
        let shaping = link.filter(\.shapes)
        if let cake = shaping.first(where: { $0.discipline != nil }) { return cake }
        let own = Set(shaping.map(\.handle)).subtracting([""])
        return managed.first { queue in
            queue.device == link[0].device && own.contains(queue.parent.prefix { $0 != ":" } + ":")
        }
    }

    private static func figures(
        of qdiscs: [ListedQdisc],
        on device: String,
        _ draft: inout ImportedDraft
    ) throws(ImportError) -> Impairments {
        var figures = Impairments()
        for kind in ["netem", "tbf", "cake"] {
            let alike = qdiscs.filter { $0.kind == kind }
            guard alike.count < 2 else {
                throw .invalid(
                    location: alike[1].location,
                    reason: "a second \(kind) of one device; a profile is one link"
                )
            }
            guard let qdisc = alike.first else { continue }
            if kind == "netem" {
                figures = try qdisc.netem(&draft)
            } else if kind == "cake" {
                if figures.rate == nil { figures.rate = try qdisc.shapedRate() }
            } else {
                let (rate, queue) = try qdisc.tbf(&draft)
                guard figures.rate == nil else {
                    draft.leaveOut("the rate of tbf", "netem has one")
                    continue
                }
                (figures.rate, figures.queue) = (rate, queue ?? figures.queue)
            }
        }
        for qdisc in qdiscs where !qdisc.shapes {
            draft.leaveOut(
                "\(qdisc.kind) of \(device.isEmpty ? "the device" : device)",
                "its rates are in classes, which \"tc qdisc show\" does not print"
            )
        }
        return figures
    }
}

extension ListedQdisc {
    /// Whether a profile has the figures of this kind of qdisc.
    fileprivate var shapes: Bool {
        let hasShaper = kind == "cake" && (self["bandwidth"].first?.text ?? "unlimited") != "unlimited"
        return kind == "netem" || kind == "tbf" || hasShaper
    }

    /// The kernel's limit of the depth of nested qdiscs.
    private static let deepest = 8

    /// The qdisc and its ancestors, as far as they are in `byHandle`.
    fileprivate func chain(in byHandle: [String: ListedQdisc]) -> [ListedQdisc] {
        var chain = [self]
        // "1:2" is a class of the qdisc "1:".
        while chain.count < Self.deepest, let parent = chain.last?.parent, !parent.isEmpty,
            let above = byHandle[parent.prefix { $0 != ":" } + ":"]
        {
            chain.append(above)
        }
        return chain
    }
}
