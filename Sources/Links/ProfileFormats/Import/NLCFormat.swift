// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Reads the property list of Apple's Network Link Conditioner, com.apple.network.prefPaneSimulate.plist: profiles by
/// name, or a single profile. Delays are one-way.
enum NLCFormat {
    static func read(_ context: ImportContext) throws(ImportError) -> ImportedDraft {
        let root = Node(json: try PropertyList.read(context.text))
        if isProfile(root) { return try draft(of: root, named: context.fallbackName) }
        let list = root["Profiles"] ?? root
        var links = list.members.map { (name: $0.name, link: $0.node) }.filter { isProfile($0.link) }
        // Some versions have the profiles in an array.
        for (index, link) in (list.elements ?? []).enumerated() where isProfile(link) {
            links.append((link["name"].flatMap { String(json: $0.json) } ?? "\(index + 1)", link))
        }
        guard !links.isEmpty else {
            throw .invalid(location: root.location, reason: "no profile with \"DownlinkDelay\" and so on")
        }
        let choice = try context.choice(of: links)
        return try draft(of: choice.link, named: choice.name)
    }

    private static func isProfile(_ node: Node) -> Bool {
        node.members.contains {
            $0.name.hasPrefix("Downlink") || $0.name.hasPrefix("Uplink") || $0.name == "DNSDelayValue"
        }
    }

    private static func draft(of node: Node, named name: String) throws(ImportError) -> ImportedDraft {
        var draft = ImportedDraft(name: name)
        draft.downlink = try direction("Downlink", of: node)
        draft.uplink = try direction("Uplink", of: node)
        draft.dns = try node.field("DNSDelayValue")?.time()
        if node["ExcludeLoopback"]?.isNothing == false {
            draft.leaveOut("ExcludeLoopback", "-i names the interface, and no other is touched")
        }
        if let interface = node["RunOnInterface"], String(json: interface.json)?.lowercased() != "all" {
            draft.leaveOut("RunOnInterface", "-i names the interface")
        }
        if node["ProtocolFamily"]?.isNothing == false {
            draft.leaveOut("ProtocolFamily", "a profile is of IPv4 and IPv6")
        }
        let known = ["Bandwidth", "BandwidthUnit", "Delay", "PacketLossRatio"]
        draft.leaveOutUnknown(
            node,
            known: known.flatMap { ["Downlink\($0)", "Uplink\($0)"] }
                + ["DNSDelayValue", "ExcludeLoopback", "RunOnInterface", "ProtocolFamily", "name"]
        )
        return draft
    }

    private static func direction(_ name: String, of node: Node) throws(ImportError) -> Impairments {
        var figures = Impairments()
        // The unit 0 is kbit/s, 1 is Mbit/s.
        let unit = try node.field("\(name)BandwidthUnit")?.count(atMost: 1, of: "(Mbit/s)")
        figures.rate = try node.field("\(name)Bandwidth")?.rate(["": unit == 1 ? 1e6 : 1e3])
        figures.delay = try node.field("\(name)Delay")?.time()
        figures.loss = try node.field("\(name)PacketLossRatio")?.share().map(LossModel.random)
        return figures
    }
}
