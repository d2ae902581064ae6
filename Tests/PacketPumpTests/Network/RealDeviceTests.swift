// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkEmulation
import LinkProfiles
import Testing

@testable import PacketPump

@Suite(.enabled(if: PrivateNetwork.isAvailable, "needs root, /dev/net/tun, tc and ip"), .serialized)
struct RealDeviceTests {
    /// A veth whose other end is in a namespace that ends with the process `sleep` in it.
    private static let veth = """
        set -e
        unshare --net sleep 60 >/dev/null 2>&1 & peer=$!
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

    @Test func conditionsBothDirectionsOfADevice() throws {
        try PrivateNetwork.run {
            let peer = try PrivateNetwork.shell(Self.veth).split(separator: "\n").last.flatMap { Int32($0) }
            defer { if let peer { kill(peer, SIGKILL) } }
            let text = try PrivateNetwork.shell("ip -br link show near").split(separator: " ")[2]
            let address = text.split(separator: ":").compactMap { UInt8($0, radix: 16) }
            let leaving = try TapDevice(name: "leaving")
            let arriving = try TapDevice(name: "arriving", address: address)
            let pump = try PacketPump(
                [PumpInput(leaving, .leaving), PumpInput(arriving, .arriving)],
                try conditions(#"{"delay": "20 ms"}"#, #"{"delay": "30 ms"}"#)
            )
            defer { pump.stop() }
            // Byte 6 of a frame is the first of its source address.
            try PrivateNetwork.shell(
                """
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
            )
            for target in ["10.9.0.2", "fd09::2"] {
                // The first may wait for the neighbour.
                _ = try? PrivateNetwork.shell("ping -q -c 1 -W 2 \(target)")
                let before = pump.counters.read()
                let line = try PrivateNetwork.shell("ping -q -c 10 -i 0.02 -W 2 \(target) | tail -1")
                let shortest = try #require(
                    line.split(separator: " ")[3].split(separator: "/").first.flatMap { Double($0) }
                )
                #expect(shortest >= 50 && shortest < 500)
                let after = pump.counters.read()
                // A loop would count packets again and again; neighbours' multicast may come between.
                #expect((10...30).contains(after.uplink.arrived - before.uplink.arrived))
                #expect((10...30).contains(after.downlink.arrived - before.downlink.arrived))
            }
            #expect(pump.counters.read().untouched > 0, "ARP and neighbour discovery pass at once")
        }
    }

    @Test func tellsWhyThereIsNoDevice() throws {
        try PrivateNetwork.run {
            let first = try TapDevice(name: "same")
            #expect(throws: TapError.self) { try TapDevice(name: "same") }
            do throws(TapError) {
                _ = try TapDevice(name: first.name)
            } catch {
                #expect(error.code == .nameTaken)
                #expect("\(error)" == "TUNSETIFF same: a device of that name exists")
            }
            #expect(throws: PumpError.inputs) { _ = try PacketPump([], PumpConditions()) }
        }
    }

    @Test func vanishesWithItsLastReference() throws {
        try PrivateNetwork.run {
            var device: TapDevice? = try TapDevice(name: "gone")
            #expect(device?.offloads.contains([.checksum, .tcp]) == true)
            try withExtendedLifetime(device) { _ = try PrivateNetwork.shell("ip link show gone") }
            device = nil
            #expect(throws: TestFailure.self) { try PrivateNetwork.shell("ip link show gone") }
        }
    }

    @Test func noticesADeletedDevice() throws {
        try PrivateNetwork.run {
            let device = try TapDevice(name: "victim")
            let pump = try PacketPump([PumpInput(device, .leaving)], PumpConditions())
            defer { pump.stop() }
            try PrivateNetwork.shell("ip link delete victim")
            for _ in 0..<2_000 where pump.counters.read().lostDevices == 0 { usleep(1_000) }
            #expect(pump.counters.read().lostDevices == 1)
        }
    }

    @Test func showsItsCountersToWhoeverHasTheDescriptor() throws {
        try PrivateNetwork.run {
            let pump = try LoopbackPump()
            try PrivateNetwork.shell("ping -q -c 5 -i 0.01 -W 1 127.0.0.1")
            let reader = try #require(CounterPage(descriptor: pump.pump.counters.descriptor))
            #expect(reader.read().uplink.arrived >= 5)
            #expect(reader.read() == pump.pump.counters.read())
            #expect(CounterPage(descriptor: -1) == nil)
        }
    }
}
