// SPDX-License-Identifier: Apache-2.0

import InternetAddresses

extension Reason {
    /// Interprets an ICMP error (RFC 792, RFC 1812 section 5.2.7.1, RFC 4443); nil for a type that is not an error.
    ///
    /// - Parameter isFromHere: whether this host generated the error, as it does if address resolution of the next hop
    ///   fails.
    init?(icmp error: Observation.ICMPError, _ family: IPAddress.Family, isFromHere: Bool) {
        switch (family, error.type, error.code) {
        case (.ipv4, 3, 0), (.ipv4, 3, 5), (.ipv4, 3, 6), (.ipv4, 3, 11): self = .netUnreachable
        case (.ipv4, 3, 1), (.ipv4, 3, 7), (.ipv4, 3, 8), (.ipv4, 3, 12):
            self = isFromHere ? .neighbourUnresolved : .hostUnreachable
        case (.ipv4, 3, 2), (.ipv4, 3, 3): self = .refused
        case (.ipv4, 3, 4): self = .tooBig
        case (.ipv4, 3, 9), (.ipv4, 3, 10), (.ipv4, 3, 13), (.ipv4, 3, 14), (.ipv4, 3, 15): self = .adminProhibited
        case (.ipv4, 3, _): self = .hostUnreachable
        case (.ipv4, 11, _): self = .ttlExceeded
        case (.ipv4, 12, _): self = .parameterProblem
        case (.ipv6, 1, 0), (.ipv6, 1, 2): self = .netUnreachable
        case (.ipv6, 1, 1), (.ipv6, 1, 5), (.ipv6, 1, 6): self = .adminProhibited
        case (.ipv6, 1, 3): self = isFromHere ? .neighbourUnresolved : .hostUnreachable
        case (.ipv6, 1, 4): self = .refused
        case (.ipv6, 1, _): self = .hostUnreachable
        case (.ipv6, 2, _): self = .tooBig
        case (.ipv6, 3, _): self = .ttlExceeded
        case (.ipv6, 4, _): self = .parameterProblem
        default: return nil
        }
    }
}
