// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkEmulation
import LinkProfiles
import LinkRules
import TestKit
import Testing

@testable import PacketPump

@Suite(.enabled(if: PrivateNetwork.canPump, "needs root, /dev/net/tun, tc and ip"), .serialized)
struct RealDeviceTests {
    @Test func conditionsBothDirectionsOfADevice() throws {
        try PrivateNetwork.run {
            let network = try DevicePump(try conditions(#"{"delay": "20 ms"}"#, #"{"delay": "30 ms"}"#))
            for target in DevicePump.targets {
                // The first may wait for neighbour discovery.
                _ = try? PrivateNetwork.shell("ping -q -c 1 -W 2 \(target)")
                let before = network.pump.counters.read()
                let line = try PrivateNetwork.shell("ping -q -c 10 -i 0.02 -W 2 \(target) | tail -1")
                let shortest = try #require(
                    line.split(separator: " ")[3].split(separator: "/").first.flatMap { Double($0) }
                )
                #expect(shortest >= 50 && shortest < 500)
                let after = network.pump.counters.read()
                // A loop would count packets again and again; other hosts' multicast may be counted too.
                #expect((10...30).contains(after.uplink.arrived - before.uplink.arrived))
                #expect((10...30).contains(after.downlink.arrived - before.downlink.arrived))
            }
            #expect(network.pump.counters.read().untouched > 0, "ARP and neighbour discovery pass at once")
        }
    }

    @Test func tellsWhyThereIsNoDevice() throws {
        try PrivateNetwork.run {
            let first = try TapDevice(name: "same")
            #expect(throws: TapError.self) { try TapDevice(name: "same") }
            do throws(TapError) {
                _ = try TapDevice(name: first.name)
            } catch {
                #expect("\(error)" == "TUNSETIFF same: a device of that name exists")
            }
            #expect(throws: PumpError.inputs) { _ = try PacketPump([], PumpConditions()) }
        }
    }

    /// A pump that is killed has its devices until it has ended.
    @Test func waitsForTheEndOfAPumpThatHasItsName() throws {
        try PrivateNetwork.run {
            var old: TapDevice? = try TapDevice(name: "same")
            let copy = dup(try #require(old).descriptor)
            old = nil
            Thread {
                usleep(200_000)
                close(copy)
            }.start()
            let new = try TapDevice(name: "same")
            #expect(new.name == "same")
        }
    }

    @Test func vanishesWithItsLastReference() throws {
        try PrivateNetwork.run {
            var device: TapDevice? = try TapDevice(name: "gone")
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
            // ping may end before the pump has counted its last packet.
            for _ in 0..<2_000 where reader.read().uplink.arrived < 5 { usleep(1_000) }
            #expect(reader.read().uplink.arrived >= 5)
            #expect(reader.read() == pump.pump.counters.read())
            #expect(CounterPage(descriptor: -1) == nil)
        }
    }
}
