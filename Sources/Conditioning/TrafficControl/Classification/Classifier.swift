// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// The match conditions of one lane's filter, translated to one classic BPF program for IPv4 and IPv6.
///
/// The program never matches non-IP frames such as ARP, IPv6 neighbour discovery (ICMPv6 133 to 137), DHCP (ports 67,
/// 68, 546, 547), or frames with a VLAN tag, which belong to the VLAN's own device.
struct Classifier: Hashable {
    /// A condition in addition to the selection.
    enum Condition: Hashable {
        /// No further condition: every packet at this hook that fits the selection matches.
        case any
        /// The destination port is 53, over UDP or TCP.
        case dns
        /// On loopback: the packet's sender opened the flow, judged by the packet's ports.
        case fromOpener(ephemeralPorts: ClosedRange<UInt16>)
        /// On loopback: the packet's receiver opened the flow.
        case toOpener(ephemeralPorts: ClosedRange<UInt16>)
    }

    /// The packet field that holds the remote end's address.
    enum RemoteEnd: CaseIterable {
        /// The destination address, for outgoing packets.
        case destination
        /// The source address, for incoming packets.
        case source
        /// Either address, where packets of both directions pass the same filter.
        case either
    }

    /// The traffic that the rule selects.
    var selection: Selection
    /// The condition in addition to the selection.
    var condition: Condition
    /// The packet field to compare with the selection's remote addresses.
    var remote: RemoteEnd
    /// Bytes before the IP header: 14 on Ethernet and loopback, 0 on devices without a link-layer header.
    var networkOffset: UInt32
    /// Whether to skip packets that a pump has written back. The pump marks them with a group address as the source
    /// (`Traffic.arriving`), which no Ethernet sender has.
    var passesReturned = false

    /// The program; nil if the selection has more criteria than a program can hold.
    func program() -> [BPFInstruction]? {
        var writer = ClassifierWriter(classifier: self)
        return writer.write()
    }
}
