// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkRules
import PacketPump
import TestKit

/// A private network with a device, `near`, whose traffic goes through a pump in both directions, and a host beyond it.
final class DevicePump {
    let pump: PacketPump
    /// A process in the host's network namespace, which ends with it.
    private let peer: pid_t

    /// The addresses of the host.
    static let targets = ["10.9.0.2", "fd09::2"]

    private static let veth = """
        set -e
        unshare --net sleep 600 >/dev/null 2>&1 & peer=$!
        while [ "$(readlink /proc/$peer/ns/net)" = "$(readlink /proc/$$/ns/net)" ]; do sleep 0.01; done
        ip link add near type veth peer name far
        ip link set far netns $peer
        ip address add 10.9.0.1/24 dev near
        ip address add fd09::1/64 dev near nodad
        ip link set near up
        nsenter --net --target $peer sh -ec '
            ip address add 10.9.0.2/24 dev far
            ip address add fd09::2/64 dev far nodad
            ip link set far up'
        echo $peer
        """

    /// Byte 6 of a frame is the first of its source address.
    private static let filters = """
        set -e
        for tap in leaving arriving; do
            tc qdisc add dev $tap clsact
        done
        tc qdisc add dev near clsact
        tc filter add dev leaving ingress protocol all u32 match u32 0 0 action mirred egress redirect dev near
        tc filter add dev arriving ingress protocol all u32 match u32 0 0 action mirred ingress redirect dev near
        tc filter add dev near egress protocol all pref 1 u32 match u32 0 0 indev leaving flowid 1:1
        tc filter add dev near egress protocol all pref 2 u32 match u32 0 0 \
            action mirred egress redirect dev leaving
        tc filter add dev near ingress protocol all bpf bytecode '4,48 0 0 6,69 1 0 1,6 0 0 4294967295,6 0 0 0,' \
            action mirred egress redirect dev arriving
        """

    /// The setup for a pump at a device: see ``PacketPump``.
    init(_ conditions: PumpConditions = PumpConditions(seed: 1)) throws {
        guard let peer = try PrivateNetwork.shell(Self.veth).split(separator: "\n").last.flatMap({ pid_t($0) }) else {
            throw TestFailure("no process in the other network")
        }
        do {
            let text = try PrivateNetwork.shell("ip -br link show near").split(separator: " ")[2]
            let address = text.split(separator: ":").compactMap { UInt8($0, radix: 16) }
            let leaving = try TapDevice(name: "leaving")
            let arriving = try TapDevice(name: "arriving", address: address)
            let inputs = [PumpInput(leaving, .leaving), PumpInput(arriving, .arriving)]
            let pump = try PacketPump(inputs, conditions)
            try PrivateNetwork.shell(Self.filters)
            self.pump = pump
            self.peer = peer
        } catch {
            kill(peer, SIGKILL)
            throw error
        }
    }

    deinit {
        pump.stop()
        kill(peer, SIGKILL)
    }

    /// Calls `body` on a thread in the host's network namespace.
    func beyond<Value>(_ body: @escaping () throws -> Value) throws -> Value {
        try PrivateNetwork.run(in: "/proc/\(peer)/ns/net", body)
    }
}
