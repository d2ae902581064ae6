// SPDX-License-Identifier: Apache-2.0

/// A protocol above IP that rules and faults can select.
public enum TransportProtocol: String, CaseIterable, Hashable, Sendable {
    /// TCP.
    case tcp
    /// UDP.
    case udp
    /// ICMP and ICMPv6.
    case icmp
}
