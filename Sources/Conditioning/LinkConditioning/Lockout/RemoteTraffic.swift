// SPDX-License-Identifier: Apache-2.0

/// The known properties of packets that this host exchanges with another.
struct RemoteTraffic: Hashable {
    /// The address of the other host; nil if it may change.
    var remote: AddressPrefix?
    /// The known ports of both ends; a rule for any of them matches.
    var ports: Set<UInt16> = []
    /// The protocol.
    var transport = TransportProtocol.tcp
}

extension Selection {
    /// Whether a rule with this selection may match such packets. An unknown property counts as matching.
    func includes(_ traffic: RemoteTraffic) -> Bool {
        let meets = criteria.judge(traffic).allSatisfy { $0 ?? true }
        return meets && !exclusions.judge(traffic, unknown: false).contains(true)
    }
}

extension Selection.Criteria {
    /// Whether each kind of criterion matches; nil for a kind without criteria. `unknown` is the result for an unknown
    /// property.
    fileprivate func judge(_ traffic: RemoteTraffic, unknown: Bool = true) -> [Bool?] {
        let isRemote = traffic.remote.map { remote in remotes.contains { $0.contains(remote) } }
        return [
            remotes.isEmpty ? nil : isRemote ?? unknown,
            ports.isEmpty ? nil : traffic.ports.isEmpty ? unknown : !traffic.ports.isDisjoint(with: ports),
            protocols.isEmpty ? nil : protocols.contains(traffic.transport),
        ]
    }
}
