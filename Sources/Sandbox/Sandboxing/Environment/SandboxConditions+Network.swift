// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import PacketPump

extension SandboxConditions {
    /// Changes an uplink's network; returns the changes in words.
    func change(_ changes: NetworkChanges, on path: String?) throws(ConditioningError) -> [String] {
        guard !changes.isEmpty, let uplink = try link(path).uplink else { return [] }
        var words: [String] = []
        if changes.address != nil || changes.handOver != nil {
            let overlap = changes.handOver?.overlap
            let addresses = try uplink.renumber(keepsOld: overlap != nil).map(\.description)
            try tell(of: uplink)
            let rest = overlap.map { ", the old one for \($0.text)" } ?? ""
            words.append("address \(addresses.joined(separator: ", "))\(rest)")
        }
        if changes.nat != nil {
            try uplink.rebind()
            try tell(of: uplink)
            words.append("new NAT mappings")
        }
        if let link = changes.link {
            try uplink.setCarrier(link == .up)
            try tell(of: uplink)
            words.append("link \(link.rawValue)")
        }
        return words
    }

    /// Switches to the machine's new name servers. If the resolver file cannot be written, the old servers stay.
    func use(_ addresses: UplinkAddresses, resolverLines: [String]) {
        let first = links.lazy.compactMap(\.uplink).first { $0.isFirst }
        try? first?.use(addresses, resolverLines: resolverLines)
    }

    /// Ends the overlap of a hand-over.
    func endHandOver(on path: String?) throws(ConditioningError) {
        guard let uplink = try link(path).uplink else { return }
        try uplink.endHandOver()
        try tell(of: uplink)
    }

    /// Undoes a scenario's temporary changes of the network: ends hand-overs, and brings links up.
    func restoreNetwork() throws(ConditioningError) {
        var up = NetworkChanges()
        up.link = .up
        for link in links {
            try endHandOver(on: link.path)
            if link.uplink?.state.isUp == false { _ = try change(up, on: link.path) }
        }
    }

    /// Whether nothing that is sent arrives any more, or nothing that says so.
    var losesEverything: Bool {
        links.allSatisfy { $0.path == "lo" || $0.losesEverything }
    }

    /// Changes of the network by a scenario and the profiles, in words.
    var networkWords: [String] {
        links.flatMap { link in link.networkWords.map { words in link.path.map { "\($0): \(words)" } ?? words } }
    }

    /// Passes the state of an uplink's network to the pump.
    func tell(of uplink: UplinkDevice) throws(ConditioningError) {
        try pump?.use(uplink.state, for: uplink.name)
    }
}
