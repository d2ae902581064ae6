// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// Packets that are sent through a link to measure one aspect of it.
package struct ProbePhase: Sendable {
    /// The kinds of phases.
    package enum Kind: String, Sendable {
        /// Measures the delay without conditions.
        case idle
        /// Measures delays, losses and other counts under a light load, so that no packet queues behind another.
        case light = "UDP"
        /// Measures the rate and the queue of a link under more load than its rate.
        case full = "UDP, filled"
        /// Measures losses of datagrams that the kernel passes on as one packet and splits later, as it does with TCP
        /// segments.
        case superPackets = "UDP, super-packets"
        case ipv6 = "UDP, IPv6"
        /// Measures the lane for queries to port 53.
        case dns = "DNS"
        /// Measures the round trip of TCP handshakes.
        case tcp = "TCP"
        /// Measures the goodput of one connection in one direction.
        case transfer = "TCP, one transfer"
        case transferIPv6 = "TCP, one transfer, IPv6"
        /// The sum of both directions' delays under a light load.
        case bothWays = "UDP, both ways"
    }

    package let kind: Kind
    package var flows: [Direction: ProbeTraffic] = [:]
    /// The number of TCP connections to open, one after the other.
    package var connections = 0
    /// How long one TCP connection transfers data in each direction.
    package var transfers: [Direction: Duration] = [:]
    /// Whether the packets leave over the uplink to a host outside the private network, and not over its loopback.
    package var isOverUplink = false
    /// How long the connections or transfers take.
    package var time = Duration.zero
    /// How long to wait for the last packets.
    package var arrivalTimeout = Duration.milliseconds(1_500)
    /// Whether to send without UDP checksums, so that damaged packets arrive.
    package var showsDamage = false
    /// Whether to send ECN-capable packets, which may be marked instead of lost.
    package var isECNCapable = false
    package var isIPv6: Bool

    package init(_ kind: Kind, _ flows: [Direction: ProbeTraffic] = [:]) {
        (self.kind, self.flows) = (kind, flows)
        isIPv6 = kind == .ipv6 || kind == .transferIPv6
    }

    /// The server's port.
    package var port: UInt16 { kind == .dns ? 53 : 7_000 }

    /// The lane of a direction's packets.
    package func lane(_ direction: Direction) -> Lane {
        direction == .downlink ? .downlink : kind == .dns ? .dns : .uplink
    }

    /// The lanes that the phase measures; for round trips, the lane of the SYN.
    package var lanes: [Lane] { kind == .tcp ? [.uplink] : (Array(flows.keys) + transfers.keys).map(lane) }

    /// How long the phase takes if nothing is lost and nothing queues.
    package var duration: Duration {
        (flows.values.map(\.duration).max() ?? .zero) + arrivalTimeout + time
    }

    /// The aspects by which a lane is judged in this phase.
    package func aspects(_ figures: Impairments) -> [Aspect] {
        switch kind {
        case .idle, .tcp, .transfer, .transferIPv6, .bothWays: return []
        case .dns, .ipv6: return [.medianDelay, .losses]
        case .superPackets: return [.losses, .meanBurst]
        case .full: return [.filling, .rate, .slowestSecond, .fastestSecond, .longestDelay]
        case .light:
            var aspects: [Aspect] = [.medianDelay, .longDelay, .tailDelay]
            // A jitter below 1 ms cannot be told from the machine's.
            if let jitter = figures.jitter, jitter.amount >= .milliseconds(1), !jitter.ordered {
                aspects.append(.shape)
            }
            aspects.append(.losses)
            if figures.loss != nil { aspects += [.meanBurst, .longestBurst] }
            aspects += [.duplicates, .overtaken]
            if showsDamage { aspects.append(.damaged) }
            if isECNCapable { aspects.append(.marked) }
            return aspects
        }
    }

    /// The phase as measured over the uplink, whose gateway drops damaged packets.
    package var overUplink: ProbePhase {
        var phase = self
        (phase.isOverUplink, phase.showsDamage) = (true, false)
        return phase
    }

    /// The phase as measured with another machine; nil for kinds that cannot be measured so.
    ///
    /// There, UDP checksums drop damaged packets, and packets are sent without ECN.
    package func withPeer(isIPv6: Bool) -> ProbePhase? {
        guard [.light, .full, .superPackets].contains(kind) else { return nil }
        var phase = self
        (phase.isIPv6, phase.showsDamage, phase.isECNCapable) = (isIPv6, false, false)
        // Limits the payload to an IP packet of 1,500 bytes.
        phase.flows = flows.mapValues { traffic in
            ProbeTraffic(
                packets: traffic.packets,
                interval: traffic.interval,
                payload: min(traffic.payload, isIPv6 ? 1_452 : 1_472),
                group: traffic.group
            )
        }
        return phase
    }
}
