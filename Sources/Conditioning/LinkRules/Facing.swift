// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// The host whose link a rule's profile describes.
public enum Facing: String, CaseIterable, Hashable, Sendable, JSONConvertible {
    /// The interface's own host: its uplink leaves the interface.
    case host
    /// The machine at the other end: its uplink arrives at the interface.
    case peer

    /// Whether the packets of a lane leave the interface; not for loopback.
    package func leaves(_ lane: Lane) -> Bool { (lane != .downlink) == (self == .host) }
}
