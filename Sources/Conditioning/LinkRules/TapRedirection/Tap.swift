// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// A TAP device that a pump must create before a plan is executed.
///
/// Loopback needs one: outgoing packets are redirected to it and return as incoming ones, and the pump distinguishes
/// the directions by their flows. Another device needs one for outgoing and one for incoming packets.
public struct Tap: Hashable, Sendable {
    /// The device's name.
    public var name: String
    /// The traffic that is redirected to it.
    public var traffic: Traffic
    /// The host whose link the conditions describe.
    public var facing: Facing
    /// The MTU of the conditioned device, in bytes.
    public var mtu: UInt32
    /// The link-layer address that it must have, in hexadecimal digits; nil for any.
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

/// The traffic of a device that is redirected to a TAP device, and where it goes when the pump writes it back.
public enum Traffic: String, CaseIterable, Hashable, Sendable {
    /// Packets leaving the loopback device, to arrive at it: both directions, distinguished by their flows.
    case loopback
    /// Packets leaving a device, to leave it: uplink and DNS, or the downlink of the peer.
    case leaving
    /// Packets arriving at a device, to arrive at it: downlink, or uplink and DNS of the peer. The pump sets the lowest bit
    /// of the first byte of the source address as it writes them back; where there is no address, it adds a tag of 802.1Q.
    case arriving

    /// The lanes of the packets that are redirected.
    public func lanes(_ facing: Facing) -> [Lane] {
        let all: [Lane] = [.uplink, .downlink, .dns]
        return self == .loopback ? all : all.filter { facing.leaves($0) == (self == .leaving) }
    }
}
