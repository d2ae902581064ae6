// SPDX-License-Identifier: Apache-2.0

import InternetAddresses

extension Reason {
    /// A packet is too large for a link on the way, and may not be cut (ICMP).
    public static let tooBig = Reason(.path, "mtu")
    /// The packet went through too many routers, as in a loop (ICMP).
    public static let ttlExceeded = Reason(.path, "ttlExceeded")
    /// A router or host did not understand the packet's header (ICMP).
    public static let parameterProblem = Reason(.path, "parameterProblem")

    /// What an ICMP error says (RFC 792, RFC 1812 section 5.2.7.1, RFC 4443); nil for a type that is no error.
    ///
    /// - Parameter isFromHere: whether this host sent it to itself, as it does when the next hop is not found.
    init?(icmp error: Observation.ICMPError, _ family: IPAddress.Family, isFromHere: Bool) {
        let meaning: Reason? =
            switch (family, error.type, error.code) {
            case (.ipv4, 3, 0), (.ipv4, 3, 5), (.ipv4, 3, 6), (.ipv4, 3, 11): .netUnreachable
            case (.ipv4, 3, 1), (.ipv4, 3, 7), (.ipv4, 3, 8), (.ipv4, 3, 12):
                isFromHere ? .neighbourUnresolved : .hostUnreachable
            case (.ipv4, 3, 2), (.ipv4, 3, 3): .refused
            case (.ipv4, 3, 4): .tooBig
            case (.ipv4, 3, 9), (.ipv4, 3, 10), (.ipv4, 3, 13), (.ipv4, 3, 14), (.ipv4, 3, 15): .adminProhibited
            case (.ipv4, 3, _): .hostUnreachable
            case (.ipv4, 11, _): .ttlExceeded
            case (.ipv4, 12, _): .parameterProblem
            case (.ipv6, 1, 0), (.ipv6, 1, 2): .netUnreachable
            case (.ipv6, 1, 1), (.ipv6, 1, 5), (.ipv6, 1, 6): .adminProhibited
            case (.ipv6, 1, 3): isFromHere ? .neighbourUnresolved : .hostUnreachable
            case (.ipv6, 1, 4): .refused
            case (.ipv6, 1, _): .hostUnreachable
            case (.ipv6, 2, _): .tooBig
            case (.ipv6, 3, _): .ttlExceeded
            case (.ipv6, 4, _): .parameterProblem
            default: nil
            }
        guard let meaning else { return nil }
        self = meaning
    }
}
