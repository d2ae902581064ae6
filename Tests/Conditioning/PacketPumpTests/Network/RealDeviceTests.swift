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
                try PrivateNetwork.shell("ping -q -c 1 -w 60 \(target)")
                var shortest = Double.infinity
                // On a busy machine, all ten may take longer.
                for _ in 0..<20 where shortest >= 500 {
                    let before = network.pump.settled()
                    let line = try PrivateNetwork.shell("ping -q -c 10 -i 0.02 -W 60 \(target) | tail -1")
                    shortest = try #require(
                        line.split(separator: " ")[3].split(separator: "/").first.flatMap { Double($0) }
                    )
                    let after = network.pump.settled()
                    // A loop would count packets again and again; other hosts' multicast may be counted too.
                    #expect((10...30).contains(after.uplink.arrived - before.uplink.arrived))
                    #expect((10...30).contains(after.downlink.arrived - before.downlink.arrived))
                }
                #expect(shortest >= 50 && shortest < 500)
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
        // It waits for a second, in which the thread of a busy machine may not get to the end.
        let haveWaited = try (0..<10).contains { _ in
            try PrivateNetwork.run {
                var old: TapDevice? = try TapDevice(name: "same")
                let copy = dup(try #require(old).descriptor)
                old = nil
                Thread {
                    usleep(200_000)
                    close(copy)
                }.start()
                return (try? TapDevice(name: "same")).map { $0.name == "same" } ?? false
            }
        }
        #expect(haveWaited)
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
            #expect(HangLimit.waits { pump.counters.read().lostDevices == 1 })
        }
    }

    @Test func showsItsCountersToWhoeverHasTheDescriptor() throws {
        try PrivateNetwork.run {
            let pump = try LoopbackPump()
            try PrivateNetwork.shell("ping -q -c 5 -i 0.01 -w 60 127.0.0.1")
            let reader = try #require(CounterPage(descriptor: pump.pump.counters.descriptor))
            // ping may end before the pump has counted its last packet.
            _ = pump.settled()
            #expect(reader.read().uplink.arrived >= 5)
            #expect(reader.read() == pump.pump.counters.read())
            #expect(CounterPage(descriptor: -1) == nil)
        }
    }
}
