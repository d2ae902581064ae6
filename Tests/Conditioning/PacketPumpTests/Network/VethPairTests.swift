// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import LinkRules
import TestKit
import Testing

@testable import PacketPump

/// A pump on a veth pair, which a sandbox has where there is no /dev/net/tun.
@Suite(.enabled(if: PrivateNetwork.canPairVeths, "needs root, veth, tc and ip"), .serialized)
struct VethPairTests {
    /// Far more than a socket's buffer holds; the pump may not run meanwhile.
    @Test(arguments: [100, 1_400])
    func losesNoneOfABurst(size: Int) throws {
        let (numbers, counters) = try PrivateNetwork.run {
            let network = try LoopbackPump(on: try VethPair(name: "near", mtu: 1500))
            let server = try LoopbackSocket.udp(port: 6_000, room: 1 << 28)
            let client = try LoopbackSocket.udp(port: 7_000)
            try client.connect(to: 6_000)
            for number in 0..<10_000 { client.send(numbered(number, size)) }
            return (network.receiveAll(at: server).map(number), network.settled())
        }
        #expect(numbers == Array(0..<10_000))
        #expect(counters.missed == 0 && counters.uplink.left == 10_000 && counters.uplink.allDrops == 0)
    }

    /// Bytes of super-packets, whose checksums the sender leaves to the device.
    @Test(arguments: [false, true])
    func losesNothingOfATransfer(isIPv6: Bool) throws {
        let bytes = (0..<20_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let (received, counters) = try PrivateNetwork.run {
            let network = try LoopbackPump(on: try VethPair(name: "near", mtu: 1500))
            let received = try LoopbackSocket.transfer(bytes, port: 6_001, isIPv6: isIPv6)
            return (received, network.settled())
        }
        #expect(received == bytes)
        #expect(counters.missed == 0 && counters.uplink.allDrops + counters.downlink.allDrops == 0)
    }

    @Test func corruptsWhatReceiversDiscard() throws {
        let (answers, counters) = try PrivateNetwork.run {
            let conditions = try conditions(#"{"corrupt": "100 %"}"#)
            let network = try LoopbackPump(conditions, on: try VethPair(name: "near", mtu: 1500))
            let server = try LoopbackSocket.udp(port: 6_000)
            let client = try LoopbackSocket.udp(port: 7_000)
            try client.connect(to: 6_000)
            for number in 0..<20 { client.send(numbered(number)) }
            return (network.receiveAll(at: server).count, network.settled())
        }
        // The checksum was the device's to complete: over the bytes before the bit was flipped.
        #expect(answers == 0 && counters.uplink.corrupted == 20)
    }

    /// More frames than the ring has slots, while no pump reads them: those are no loss of a link.
    @Test func tellsWhatCameFasterThanItCouldRead() throws {
        let files = try TemporaryDirectory()
        let path = "\(files.path)/log"
        let (counters, sent) = try PrivateNetwork.run {
            let device = try VethPair(name: "near", mtu: 1500)
            try PrivateNetwork.shell(LoopbackPump.redirection(to: device.name))
            let client = try LoopbackSocket.udp()
            try client.connect(to: 6_000)
            let slots = Int(device.frames.slotCount)
            for number in 0..<slots + 100 { client.send(numbered(number)) }
            let file = open(path, O_WRONLY | O_CREAT, 0o600)
            defer { close(file) }
            let log = try PacketLog(descriptor: file, device: "lo")
            let pump = try PacketPump([PumpInput(device, .loopback)], PumpConditions(), log: log)
            _ = HangLimit.waits { pump.counters.read().missed > 0 }
            let counters = pump.settled()
            pump.stop()
            log.finish()
            return (counters, slots + 100)
        }
        // Nobody listens, and each datagram is answered by ICMP.
        #expect(counters.missed > 0 && counters.uplink.arrived + counters.missed >= UInt64(sent))
        #expect(counters.uplink.allDrops == 0)
        let last = try files.read("log").split(separator: "\n").last
        #expect(last == "# lost \(counters.missed) lines of lo")
    }

    @Test func noticesThatItIsDeletedButNotThatItIsDown() throws {
        let (down, gone) = try PrivateNetwork.run {
            let device = try VethPair(name: "near", mtu: 1500)
            let pump = try PacketPump([PumpInput(device, .loopback)], PumpConditions())
            defer { pump.stop() }
            try PrivateNetwork.shell("ip link set near down")
            usleep(200_000)
            let down = pump.counters.read().lostDevices
            try PrivateNetwork.shell("ip link delete near")
            _ = HangLimit.waits { pump.counters.read().lostDevices > 0 }
            return (down, pump.counters.read().lostDevices)
        }
        #expect(down == 0 && gone == 1)
    }

    @Test func tellsWhyThereIsNone() throws {
        let words = try PrivateNetwork.run { () throws -> String? in
            let first = try VethPair(name: "same", mtu: 1500)
            do throws(TapError) {
                _ = try VethPair(name: first.name, mtu: 1500)
            } catch {
                return "\(error)"
            }
            return nil
        }
        #expect(words == "add the veth pair same, same-far: a device of that name exists")
    }
}
