// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// How a device's traffic is led through the TAP devices of a pump, and back to where it was taken from.
///
/// On loopback one TAP device takes what leaves, and gives it back as arriving: both directions, which the pump tells
/// apart by their flows. On Ethernet one takes what leaves and one what arrives.
public struct Detour: Hashable, Sendable {
    /// The name of the device.
    public var device: String
    /// The TAP devices that a pump has to make before `plan` is carried out.
    public var taps: [Tap]
    /// What leads the traffic there, once the TAP devices are described: without, nobody would know whose they are.
    public var plan: Plan

    /// One TAP device.
    public struct Tap: Hashable, Sendable {
        /// What is led there.
        public enum Traffic: UInt8, Hashable, Sendable {
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
        /// What it says about itself in its alias.
        var tag: RuleTag
    }

    /// Has the TAP devices say that they carry `request` from now on.
    public func describe(_ request: RuleRequest) -> Plan {
        var plan = Plan()
        plan.build = taps.map { tap in
            var tag = tap.tag
            tag.profile = request.profile.name
            (tag.appliedAt, tag.userID) = (request.origin.time, request.origin.userID)
            return .describe(tap.name, alias: tag.text, previous: nil)
        }
        return plan
    }
}
