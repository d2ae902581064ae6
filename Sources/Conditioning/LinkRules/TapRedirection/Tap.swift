// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// A TAP device that a pump must create before a plan is executed.
///
/// Loopback needs one: outgoing packets are redirected to it and return as incoming ones, and the pump distinguishes
/// the directions by their flows. Another device needs one for outgoing and one for incoming packets.
public struct Tap: Hashable, Sendable {
    /// The device's name.
    public var name: String
    /// The traffic that is redirected to the device.
    public var traffic: Traffic
    /// The host whose link the conditions describe.
    public var facing: Facing
    /// The MTU of the conditioned device, in bytes.
    public var mtu: UInt32
    /// The link-layer address that the device must have, in hexadecimal digits; nil for any.
    public var address: String?
    /// Whether the conditioned device's packets have no link-layer header, such as a tunnel's.
    public var isBare: Bool

    /// Describes the device.
    public init(
        name: String,
        traffic: Traffic,
        facing: Facing = .host,
        mtu: UInt32,
        address: String?,
        isBare: Bool = false
    ) {
        self.name = name
        self.traffic = traffic
        self.facing = facing
        self.mtu = mtu
        self.address = address
        self.isBare = isBare
    }
}

/// The traffic of a device that is redirected to a TAP device, and the direction in which the pump returns it.
public enum Traffic: String, CaseIterable, Hashable, Sendable {
    /// Packets leaving the loopback device, returned as arriving: both directions, distinguished by their flows.
    case loopback
    /// Packets leaving a device, returned as leaving: uplink and DNS, or the downlink of the peer.
    case leaving
    /// Packets arriving at a device, returned as arriving: downlink, or uplink and DNS of the peer. The pump marks
    /// returned packets with the lowest bit of the source address's first byte, or with an 802.1Q tag if the device has
    /// no addresses.
    case arriving

    /// The lanes of the packets that are redirected.
    public func lanes(_ facing: Facing) -> [Lane] {
        let all: [Lane] = [.uplink, .downlink, .dns]
        return self == .loopback ? all : all.filter { facing.leaves($0) == (self == .leaving) }
    }
}
