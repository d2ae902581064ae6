// SPDX-License-Identifier: Apache-2.0

public import Netlink

/// Whether, and how, packets to an address would leave this host. No packet is sent to find out, and none that leaves
/// need arrive.
public struct Path: Hashable, Sendable {
    /// Whether a request has a chance.
    public enum Status: Hashable, Sendable {
        /// A route leads there over a link that works.
        case satisfied
        /// The kernel would refuse, or the link cannot carry packets.
        case unsatisfied(Reason)
        /// The link waits for a request or a person to bring it up.
        case requiresConnection(Initiative)
        /// The kernel did not answer; the error number, errno(3).
        case unknown(Int32)
    }

    /// The initiative that would make a waiting link work.
    public enum Initiative: String, CaseIterable, Codable, Sendable {
        /// A program has to connect it, as with a modem.
        case onDemand
        /// The first packet does it.
        case onTraffic
        /// A person, or a program with a key (802.1X), has to act.
        case intervention
    }

    /// Whether a request has a chance.
    public var status: Status
    /// The interface's name; nil if none is chosen.
    public var interface: String?
    /// The kind of link.
    public var linkClass: LinkClass?
    /// The operational state.
    public var operationalState: OperationalState?
    /// The address that the packets bear.
    public var source: IPAddress?
    /// The first router.
    public var gateway: IPAddress?
    /// Whether the target is on the link itself.
    public var isOnLink = false
    /// Whether the address is one of this host's own.
    public var isOwnAddress = false
    /// The largest packet in bytes.
    public var mtu: UInt32?
    /// The families that the interface has usable addresses of.
    public var families: Set<IPAddress.Family> = []

    init(_ status: Status) {
        self.status = status
    }

    /// The reason why there is no chance; nil if there is one, or where nothing is known.
    public var obstacle: Reason? {
        switch status {
        case .satisfied, .unknown: nil
        case .unsatisfied(let reason): reason
        case .requiresConnection: .dormant
        }
    }
}
