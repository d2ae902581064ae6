// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// What one lane's filter asks of a packet, as a classic packet filter program for IPv4 and IPv6 at once.
///
/// Never picked, whatever is asked: ARP and everything else that is not IP, IPv6 neighbour discovery (ICMPv6 133
/// to 137), DHCP (ports 67, 68, 546, 547), and frames with a VLAN tag, which belong to the VLAN's own device.
struct Classifier: Hashable {
    /// What beside the selection decides.
    enum Condition: Hashable {
        /// Nothing: every packet at this hook.
        case any
        /// Leaves for port 53 over UDP or TCP.
        case dns
        /// On loopback, sent by the side that opened the flow, as far as ports tell.
        case fromOpener(ephemeralPorts: ClosedRange<UInt16>)
        /// The others.
        case toOpener(ephemeralPorts: ClosedRange<UInt16>)
    }

    /// Which traffic the rule is about.
    var selection: Selection
    /// What beside it decides.
    var condition: Condition
    /// Whether the packet's destination is the remote end, as it is for packets that leave.
    var remoteIsDestination: Bool
    /// Bytes ahead of the IP header: 14 on Ethernet and loopback, 0 on devices without link-layer header.
    var networkOffset: UInt32
    /// Whether to pass what a pump has written back: no sender has a group address on Ethernet, and that is how it
    /// marks what is to arrive (`Traffic.arriving`).
    var passesReturned = false

    /// The program; nil where the selection has more criteria than a program can hold.
    func program() -> [BPFInstruction]? {
        var writer = ClassifierWriter(classifier: self)
        return writer.write()
    }
}
