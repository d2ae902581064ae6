// SPDX-License-Identifier: Apache-2.0

public import LinkRules

/// A TAP device whose frames the pump reads, and to which it writes them back.
public struct PumpInput: Sendable {
    /// The device.
    public var device: TapDevice
    /// The traffic that is redirected to it.
    public var traffic: Traffic

    /// Makes an input.
    public init(_ device: TapDevice, _ traffic: Traffic) {
        self.device = device
        self.traffic = traffic
    }
}
