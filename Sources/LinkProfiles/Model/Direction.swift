// SPDX-License-Identifier: Apache-2.0

/// A direction of a link, as the conditioned host sees it.
public enum Direction: String, CaseIterable, Hashable, Sendable {
    /// Towards the host.
    case downlink
    /// Away from the host.
    case uplink
}
