// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import LinkRules
import PacketPump
import TestKit
import Testing

extension PrivateNetwork {
    /// Whether this process may make namespaces and TAP devices, and `tc` and `ip` are installed.
    static let canPump: Bool = {
        (try? run {
            let device = try TapDevice()
            return try withExtendedLifetime(device) {
                try shell("ip link show \(device.name) && tc qdisc show").isEmpty == false
            }
        }) ?? false
    }()

    /// Whether this process may make namespaces and veth pairs, and `tc` and `ip` are installed.
    static let canPairVeths: Bool = {
        (try? run {
            let device = try VethPair(name: "near", mtu: 1500)
            return try withExtendedLifetime(device) { try shell("tc qdisc show dev near && ip link").isEmpty == false }
        }) ?? false
    }()
}

/// A private network whose loopback goes through a pump.
final class LoopbackPump {
    let pump: PacketPump

    /// The setup for a pump on loopback: see ``PacketPump``.
    init(
        _ conditions: PumpConditions = PumpConditions(seed: 1),
        _ configuration: PumpConfiguration = PumpConfiguration(),
        log: PacketLog? = nil,
        on device: (any FrameDevice)? = nil
    ) throws {
        let device = try device ?? TapDevice(name: "pump%d")
        pump = try PacketPump([PumpInput(device, .loopback)], conditions, configuration, log: log)
        try PrivateNetwork.shell(Self.redirection(to: device.name))
    }

    /// The commands that redirect loopback to the device and back.
    static func redirection(to device: String) -> String {
        """
        set -e
        for name in all lo; do
            echo 1 >/proc/sys/net/ipv4/conf/$name/route_localnet
            echo 1 >/proc/sys/net/ipv4/conf/$name/accept_local
            echo 0 >/proc/sys/net/ipv4/conf/$name/rp_filter
        done
        ip link set lo up mtu 1500
        tc qdisc add dev lo clsact
        tc qdisc add dev \(device) clsact
        tc filter add dev \(device) ingress protocol all u32 match u32 0 0 action mirred ingress redirect dev lo
        tc filter add dev lo egress protocol all u32 match u32 0 0 action mirred egress redirect dev \(device)
        """
    }

    /// The counters when no packet is queued.
    func settled() -> CounterPage.Reading { pump.settled() }

    /// The datagrams that a socket has received once the pump has written all that was sent before.
    func receiveAll(at socket: LoopbackSocket) -> [[UInt8]] {
        _ = settled()
        return socket.receiveAll()
    }

    deinit { pump.stop() }
}

extension PacketPump {
    /// The counters when all that was sent before the call has been read and written, and nothing changes any more: what
    /// is written may be answered.
    func settled() -> CounterPage.Reading {
        var last = counters.read()
        let isSettled = HangLimit.waits {
            settle()
            usleep(5_000)
            let reading = counters.read()
            defer { last = reading }
            return reading == last && Lane.allCases.allSatisfy { reading[$0].queued == 0 }
        }
        #expect(isSettled, "\(last)")
        return last
    }
}

extension LoopbackPump {
    /// Sends numbered datagrams, and expects those numbers to arrive in that order.
    func carries(_ expected: [Int]) throws {
        let server = try LoopbackSocket.udp(port: 6_000)
        let client = try LoopbackSocket.udp(port: 7_000)
        try client.connect(to: 6_000)
        for round in 0..<500 { #expect(client.send(numbered(round))) }
        #expect(receiveAll(at: server).map(number) == expected)
    }
}
