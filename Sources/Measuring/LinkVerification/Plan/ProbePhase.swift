// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// Packets that are sent through a link to see one side of it.
package struct ProbePhase: Sendable {
    /// The kinds of phases.
    package enum Kind: String, Sendable {
        /// The delay without conditions.
        case idle
        /// Delays, losses and their like: no packet waits for another.
        case light = "UDP"
        /// The rate and the queue of a link that gets more than it carries.
        case full = "UDP, filled"
        /// Losses of datagrams that the kernel sends as one packet and splits later, as it does with TCP's segments.
        case superPackets = "UDP, super-packets"
        case ipv6 = "UDP, IPv6"
        /// The lane for queries to port 53.
        case dns = "DNS"
        /// The round trip in which a TCP connection is opened.
        case tcp = "TCP"
        /// The goodput of one connection in one direction.
        case transfer = "TCP, one transfer"
        case transferIPv6 = "TCP, one transfer, IPv6"
        /// The round trip of the light load.
        case bothWays = "UDP, both ways"
    }

    package let kind: Kind
    package var flows: [Direction: ProbeTraffic] = [:]
    /// How many TCP connections are opened, one after the other.
    package var connections = 0
    /// How long one TCP connection carries what it can in a direction.
    package var transfers: [Direction: Duration] = [:]
    /// Whether the packets go over the uplink to a host outside the private network, or stay on its loopback.
    package var isOverUplink = false
    /// How long that takes.
    package var time = Duration.zero
    /// The time to wait for the last packets.
    package var arrivalTimeout = Duration.milliseconds(1_500)
    /// Whether damaged packets have to come: without a checksum of UDP.
    package var showsDamage = false
    /// Whether packets may be marked instead of lost.
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

    /// The lanes that it shows; of round trips, that of their first packets.
    package var lanes: [Lane] { kind == .tcp ? [.uplink] : (Array(flows.keys) + transfers.keys).map(lane) }

    /// How long it takes, where nothing is lost and nothing waits.
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
            // The shape of less than this drowns in the machine's own.
            if let jitter = figures.jitter, jitter.amount >= .milliseconds(1), !jitter.ordered {
                aspects.append(.shape)
            }
            aspects.append(.losses)
            if figures.loss != nil { aspects.append(.meanBurst) }
            aspects += [.duplicates, .overtaken]
            if showsDamage { aspects.append(.damaged) }
            if isECNCapable { aspects.append(.marked) }
            return aspects
        }
    }

    /// The phase as it is measured over the uplink, whose gateway passes on no damaged packet.
    package var overUplink: ProbePhase {
        var phase = self
        (phase.isOverUplink, phase.showsDamage) = (true, false)
        return phase
    }

    /// The phase as it can be measured with another machine; nil for a kind of packets that cannot.
    ///
    /// UDP checksums drop damaged packets there, and packets are sent without ECN.
    package func withPeer(isIPv6: Bool) -> ProbePhase? {
        guard [.light, .full, .superPackets].contains(kind) else { return nil }
        var phase = self
        (phase.isIPv6, phase.showsDamage, phase.isECNCapable) = (isIPv6, false, false)
        // An IP packet of 1,500 bytes at the most.
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
