// SPDX-License-Identifier: Apache-2.0

/// One of the two ways through a link, named from the conditioned host.
public enum Direction: String, CaseIterable, Hashable, Sendable {
    /// Towards the host.
    case downlink
    /// Away from the host.
    case uplink
}
