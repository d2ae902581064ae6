// SPDX-License-Identifier: Apache-2.0

/// A TAP device that a pump has to make before a plan can be carried out.
///
/// On loopback one takes what leaves, and gives it back as arriving: both directions, which the pump tells apart by
/// their flows. On Ethernet one takes what leaves and one what arrives.
public struct Tap: Hashable, Sendable {
    /// What is led there.
    public enum Traffic: String, Hashable, Sendable {
        /// What leaves loopback, to arrive there.
        case loopback
        /// What leaves, to leave.
        case leaving
        /// What arrives, to arrive.
        case arriving
    }

    /// The device's name.
    public var name: String
    /// What is led there.
    public var traffic: Traffic
    /// The largest packet of the device whose traffic it is, in bytes.
    public var mtu: UInt32
    /// The link-layer address that it must have, in hexadecimal; nil for any.
    public var address: String?
}
