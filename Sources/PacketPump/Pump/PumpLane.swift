// SPDX-License-Identifier: Apache-2.0

/// Which part of the traffic a pipeline carries. The numbers are the lanes' in random sequences and counters.
public enum PumpLane: Int, CaseIterable, Sendable {
    /// Packets that leave; on loopback, those of a flow's opener.
    case uplink = 0
    /// Packets that arrive; on loopback, the answers.
    case downlink = 1
    /// Packets that leave for port 53, where the profile has a figure for them.
    case dns = 2
}
