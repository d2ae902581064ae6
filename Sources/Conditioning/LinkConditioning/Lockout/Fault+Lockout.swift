// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses
internal import LinkProfiles

extension Profile {
    /// The reason why a connection with packets like `traffic` would not survive a fault; nil if it would.
    func faultReason(against traffic: RemoteTraffic) -> String? {
        let cutting = faults.enumerated().first { $1.cuts(traffic) }
        return cutting.map { "fault \($0 + 1) is about it: \($1.words)" }
    }
}

extension Fault {
    /// The share of lost packets at which TCP backs off for minutes: the same bound as for random loss.
    private static let cuttingShare = 0.4

    /// Whether an open connection with packets like `traffic` may end, or hardly make progress.
    fileprivate func cuts(_ traffic: RemoteTraffic) -> Bool {
        guard !action.isForQueries, match.name == nil, match.recordType == nil, concerns(traffic) else { return false }
        var isCounted = false
        switch match.packet {
        case .syn, .quicInitial, .tlsHello: return false
        case .ordinal: isCounted = true
        case .every(let count): isCounted = 1 / Double(count) < Self.cuttingShare
        case nil: break
        }
        switch action {
        // A single lost packet is retransmitted.
        case .lose, .refuse: return !isCounted && match.probability.map { $0.fraction >= Self.cuttingShare } ?? true
        default: return true
        }
    }

    private func concerns(_ traffic: RemoteTraffic) -> Bool {
        if let only = action.onlyProtocol, only != traffic.transport { return false }
        if case .portal = action, !traffic.ports.isEmpty, traffic.ports.isDisjoint(with: [80, 443]) { return false }
        if let version = match.version, let remote = traffic.remote, remote.isIPv4 != (version == .ipv4) {
            return false
        }
        return Selection(match.ends.criteria, excluding: match.exclusions.criteria).includes(traffic)
    }
}

extension FaultMatch.Ends {
    fileprivate var criteria: Selection.Criteria {
        var criteria = Selection.Criteria()
        criteria.remotes = remotes.compactMap { if case .prefix(let prefix) = $0 { prefix } else { nil } }
        (criteria.ports, criteria.protocols) = (ports, protocols)
        return criteria
    }
}
