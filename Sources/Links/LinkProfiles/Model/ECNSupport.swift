// SPDX-License-Identifier: Apache-2.0

/// The congestion notification that a packet allows (RFC 3168, RFC 9331): the two bits of its IP header.
public enum ECNSupport: UInt8, Sendable {
    /// Not-ECT: the packet is dropped instead.
    case none = 0
    /// ECT(1): a scalable sender, for the low-latency queue of DualPI2.
    case scalable = 1
    /// ECT(0).
    case classic = 2
    /// CE: the packet was marked before.
    case marked = 3

    /// Whether the packet may go to a queue for scalable senders: RFC 9331, section 5.1.
    public var isScalable: Bool { self == .scalable || self == .marked }
}
