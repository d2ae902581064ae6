// SPDX-License-Identifier: Apache-2.0

/// A TAP device whose frames the pump reads, and to which it writes them back.
public struct PumpInput: Sendable {
    /// Where the frames were taken from, and where they go when they are written back.
    public enum Traffic: Sendable {
        /// Leaving the loopback device, to arrive at it: both directions, which the flows tell apart.
        case loopback
        /// Leaving a device, to leave it: uplink, and DNS.
        case leaving
        /// Arriving at a device, to arrive at it: downlink. The lowest bit of the first byte of the source address is
        /// set as they are written back.
        case arriving
    }

    /// The device.
    public var device: TapDevice
    /// What is redirected to it.
    public var traffic: Traffic

    /// Makes an input.
    public init(_ device: TapDevice, _ traffic: Traffic) {
        self.device = device
        self.traffic = traffic
    }
}
