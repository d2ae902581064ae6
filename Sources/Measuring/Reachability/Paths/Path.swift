// SPDX-License-Identifier: Apache-2.0

public import Netlink

/// Whether, and by which path, packets to an address would leave this host. No packet is sent to find out, so packets
/// may still be lost later.
public struct Path: Hashable, Sendable {
    /// Whether packets can leave this host.
    public enum Status: Hashable, Sendable {
        /// A route leads to the address over a link that works.
        case satisfied
        /// The kernel refuses to send, or the link cannot carry packets.
        case unsatisfied(Reason)
        /// The link has to be brought up first, by a program, a packet or a person.
        case requiresConnection(Initiative)
        /// The lookup failed, with this error number (errno(3)).
        case unknown(Int32)
    }

    /// The event that brings up a waiting link.
    public enum Initiative: String, CaseIterable, Codable, Sendable {
        /// A program has to connect the link, as with a modem.
        case onDemand
        /// The first packet brings up the link.
        case onTraffic
        /// A person, or a program with a key (802.1X), has to act.
        case intervention
    }

    /// Whether packets can leave this host.
    public var status: Status
    /// The interface's name; nil if none is selected.
    public var interface: String?
    /// The class of the link.
    public var linkClass: LinkClass?
    /// The operational state of the link.
    public var operationalState: OperationalState?
    /// The source address of the packets.
    public var source: IPAddress?
    /// The next router; nil if the address is on the link.
    public var gateway: IPAddress?
    /// Whether the address is on the link itself.
    public var isOnLink = false
    /// Whether the address belongs to this host.
    public var isOwnAddress = false
    /// The path's MTU in bytes.
    public var mtu: UInt32?
    /// The address families of which the interface has usable addresses.
    public var families: Set<IPAddress.Family> = []

    init(_ status: Status) {
        self.status = status
    }

    /// The reason why packets cannot leave; nil if they can, or if that is unknown.
    public var obstacle: Reason? {
        switch status {
        case .satisfied, .unknown: nil
        case .unsatisfied(let reason): reason
        case .requiresConnection: .dormant
        }
    }
}
