// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses

extension NodeReader {
    /// Reports contradictions that keep a fault from ever happening.
    mutating func checkContradictions(of fault: Fault, at node: Node) {
        let match = fault.match
        guard let matchNode = node["match"] else { return }
        func member(_ name: String) -> Node { matchNode[name] ?? matchNode }
        if let needed = match.neededProtocols(for: fault.action) {
            if !match.ends.protocols.isEmpty, Set(match.ends.protocols).isDisjoint(with: needed.protocols) {
                let expected = "\"\(needed.protocols.map(\.rawValue).joined(separator: "\" or \""))\""
                report(
                    "\(needed.reason) is never of \(match.ends.protocols[0].rawValue)",
                    at: member("protocol"),
                    expected: expected
                )
            }
        }
        if !match.ends.ports.isEmpty, Set(match.ends.protocols) == [.icmp] {
            report("ICMP has no ports", at: member("port"), expected: "\"protocol\": \"tcp\" or \"udp\"")
        }
        if match.exclusions == match.ends, !match.ends.isEmpty {
            report("what is excluded is all that it matches", at: member("exclude"), expected: "other ends")
        }
        let isForQueries = match.name != nil || match.recordType != nil || fault.action.isForQueries
        if isForQueries, !match.ends.ports.isEmpty, !match.ends.ports.contains(53) {
            report("a DNS query goes to port 53", at: member("port"), expected: "no \"port\", or 53")
        }
        if isForQueries, match.direction == .downlink {
            report("a DNS query travels in the uplink", at: member("lane"), expected: "no \"lane\", or \"uplink\"")
        }
        if isForQueries, let packet = match.packet, !packet.isOrdinal {
            report(
                "a DNS query is no \"\(packet.text)\"",
                at: member("packet"),
                expected: "\"nth 3\", \"every 10\" or \"first 2\""
            )
        }
        if match.packet == .syn, match.after != nil {
            report(
                "a SYN opens a connection: nothing was before it",
                at: member("after"),
                expected: "no \"after\" beside \"syn\""
            )
        }
        if fault.endsIdleConnections,
            let name = ["packet", "dns", "type", "larger", "lane"].first(where: { matchNode[$0] != nil })
        {
            report(
                "\"\(fault.action.effect)\" ends an idle connection without waiting for a packet",
                at: member(name),
                expected: "no \"\(name)\" beside \"idle\""
            )
        }
        if let version = match.version,
            let remote = match.ends.remotes.first(where: { $0.family.map { $0 != version } ?? false })
        {
            let name = version == .ipv4 ? "IPv4" : "IPv6"
            report("\(remote.text) is no address of \(name)", at: member("to"), expected: "an address of \(name)")
        }
        if fault.action == .refuse(.packetTooBig) {
            if match.larger == nil {
                report(
                    "\"packet too big\" says how large a packet may be",
                    at: matchNode,
                    expected: "\"larger\" in \"match\""
                )
            } else if let larger = match.larger, larger < (match.version == .ipv6 ? 1280 : 68) {
                let (minimum, rule) = match.version == .ipv6 ? (1280, "RFC 8200") : (68, "RFC 791")
                report(
                    "every link carries packets of \(minimum) bytes (\(rule))",
                    at: member("larger"),
                    expected: "at least \(minimum) bytes"
                )
            }
        }
        if case .portal = fault.action, !match.ends.ports.isEmpty, Set(match.ends.ports).isDisjoint(with: [80, 443]) {
            report("a portal answers on ports 80 and 443", at: member("port"), expected: "no \"port\", or 80 or 443")
        }
        if case .answer(.address(let address)) = fault.action, let type = match.recordType,
            type != .any, type != (address.family == .ipv4 ? .a : .aaaa)
        {
            report(
                "\(address) is no answer to a query of type \(type.name)",
                at: member("type"),
                expected: "\"\(address.family == .ipv4 ? "A" : "AAAA")\", or the answer \"empty\""
            )
        }
    }

    /// Reports an earlier fault that matches every packet that this fault matches, so that this one never happens.
    mutating func checkShadow(of fault: Fault, by earlier: [(number: Int, fault: Fault)], at node: Node) {
        guard let other = earlier.first(where: { $0.fault.shadows(fault) }) else { return }
        report(
            "fault \(other.number) comes first and has every packet that this one matches",
            at: node,
            expected: "the narrower fault first"
        )
    }
}

extension FaultMatch.PacketKind {
    var isOrdinal: Bool {
        switch self {
        case .ordinal, .every: true
        default: false
        }
    }
}

extension FaultMatch.Remote {
    fileprivate var family: IPAddress.Family? {
        if case .prefix(let prefix) = self { prefix.isIPv4 ? .ipv4 : .ipv6 } else { nil }
    }
}

extension FaultMatch {
    /// The protocols that the rest of the match or the action requires, and the part that requires them; nil if any
    /// will do.
    fileprivate func neededProtocols(for action: FaultAction) -> (protocols: [TransportProtocol], reason: String)? {
        switch packet {
        case .syn: return ([.tcp], "a SYN")
        case .tlsHello: return ([.tcp], "a ClientHello of TLS")
        case .quicInitial: return ([.udp], "an Initial packet of QUIC")
        default: break
        }
        if let only = action.onlyProtocol {
            return ([only], action.isForQueries ? "a truncated answer" : "what \"\(action.effect)\" happens to")
        }
        if name != nil || recordType != nil || action.isForQueries { return ([.udp, .tcp], "a DNS query") }
        return nil
    }

    /// Whether every packet that `other` matches has these ends, protocol and direction.
    fileprivate func hasEnds(of other: FaultMatch, _ own: [TransportProtocol], _ others: [TransportProtocol]) -> Bool {
        func holds<Value: Hashable>(_ all: [Value], _ some: [Value]) -> Bool {
            all.isEmpty || !some.isEmpty && Set(some).isSubset(of: all)
        }
        // `other` may match packets that the exclusions leave out.
        guard exclusions.isEmpty || exclusions == other.exclusions else { return false }
        return holds(ends.remotes, other.ends.remotes) && holds(ends.ports, other.ends.ports) && holds(own, others)
            && (version == nil || version == other.version) && (direction == nil || direction == other.direction)
    }
}

extension Fault {
    /// Whether this fault, which comes first, matches every packet that `other` matches.
    fileprivate func shadows(_ other: Fault) -> Bool {
        if case .portal = action { return false }
        // A refusal does not apply to ICMP errors and multicast packets, and an RST only to TCP: other faults may get
        // these.
        if case .refuse = action { guard action == other.action || match == other.match else { return false } }
        guard !match.isNarrow || match == other.match, !action.isForQueries || match == other.match else {
            return false
        }
        func protocols(_ fault: Fault) -> [TransportProtocol] {
            let needed = fault.match.neededProtocols(for: fault.action)?.protocols ?? []
            let named = fault.match.ends.protocols
            return named.isEmpty ? needed : needed.isEmpty ? named : named.filter(needed.contains)
        }
        // A match that counts packets, or has a probability, leaves some packets to later faults.
        if match == other.match, match.packet?.isOrdinal == true || match.probability.map({ $0 < .one }) ?? false {
            return false
        }
        return match.hasEnds(of: other.match, protocols(self), protocols(other))
    }
}
