// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Interfaces whose packets cannot simply return from a TAP device: without an Ethernet header, or at a bridge.
@Suite(.enabled(if: PrivateLink.isAvailable, PrivateLink.need))
struct InterfaceTunnelTests {
    @Test func conditionsATunnelBothWays() throws {
        try PrivateLink.check("interface-tunnel.py", "conditionsATunnelBothWays()")
    }

    /// Super-packets and checksums that the sender left to the device.
    @Test func carriesWholeTransfersThroughATunnel() throws {
        try PrivateLink.check("interface-tunnel.py", "carriesWholeTransfersThroughATunnel()")
    }

    /// What a fault sends in a host's name needs the header that its direction has there.
    @Test func faultsAnswerOnBothSidesOfATunnel() throws {
        try PrivateLink.check("interface-tunnel.py", "faultsAnswerOnBothSidesOfATunnel()")
    }

    @Test func recordsATunnelsPackets() throws {
        try PrivateLink.check("interface-tunnel.py", "recordsATunnelsPackets()")
    }

    @Test func conditionsWhatLeavesABridgesPort() throws {
        try PrivateLink.check("interface-tunnel.py", "conditionsWhatLeavesABridgesPort()")
    }
}
