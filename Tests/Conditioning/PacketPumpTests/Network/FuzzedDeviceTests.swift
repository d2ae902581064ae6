// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import TestKit
import Testing

@testable import PacketPump

/// Invalid frames through devices and a running pump: truncated, with wrong lengths, up to 64 KiB, with wrong segment
/// sizes and checksum offsets, and noise. 5000 of them a test, 20 000 in a sweep, or a million in the soak.
@Suite(.enabled(if: PrivateNetwork.canPump, "needs root, /dev/net/tun, tc and ip"), .serialized)
struct FuzzedDeviceTests {
    /// Each for 1000 frames.
    private static let seeds: Range<UInt64> = 0..<Extent.choose(once: 5, all: 20, soak: 1_000)

    private static let links = [
        "{}", #"{"delay": "3 ms"}"#, #"{"corrupt": "50 %", "duplicate": "30 %"}"#,
        #"{"rate": "50 Mbit/s", "queue": "20 packets", "loss": "20 %", "ecn": true}"#,
        #"{"delay": "2 ms", "jitter": "2 ms", "reorder": {"probability": "20 %"}, "corrupt": "30 %"}"#,
    ]

    @Test func carriesGoodTrafficOfLoopbackAfterBad() throws {
        try PrivateNetwork.run {
            let network = try LoopbackPump()
            try PrivateNetwork.shell("ip link set lo mtu 65536 && ping -q -c 1 -w 60 127.0.0.1")
            let before = network.settled()
            try Self.fuzz(network.pump, [try PacketSocket(device: "lo")])
            try PrivateNetwork.shell("ip link set lo mtu 1500")
            try Self.expectPings(network.pump, ["127.0.0.1", "::1"])
            for isIPv6 in [false, true] {
                let bytes = TestFrame.pattern(1_000_000)
                #expect(try LoopbackSocket.transfer(bytes, port: 5_000, isIPv6: isIPv6) == bytes)
                let server = try LoopbackSocket.udp(port: 6_000, isIPv6: isIPv6)
                let client = try LoopbackSocket.udp(port: 7_000, isIPv6: isIPv6)
                try client.connect(to: 6_000)
                for round in 0..<200 { #expect(client.send(numbered(round))) }
                #expect(network.receiveAll(at: server).map(number) == Array(0..<200))
            }
            #expect(network.settled().memory == before.memory)
        }
    }

    @Test func carriesGoodTrafficOfADeviceAfterBad() throws {
        try PrivateNetwork.run {
            let network = try DevicePump()
            // The first may wait for neighbour discovery.
            for target in DevicePump.targets { try PrivateNetwork.shell("ping -q -c 1 -w 60 \(target)") }
            let before = network.pump.settled()
            let sockets = [try PacketSocket(device: "near"), try network.beyond { try PacketSocket(device: "far") }]
            try Self.fuzz(network.pump, sockets)
            try Self.expectPings(network.pump, DevicePump.targets)
            #expect(network.pump.settled().memory == before.memory)
        }
    }

    /// Sends the frames under changing conditions, through the sockets in turn, and expects the pump to account for all
    /// of them in every lane. Removes the conditions afterwards.
    private static func fuzz(_ pump: PacketPump, _ sockets: [PacketSocket]) throws {
        var taken = 0
        let before = pump.settled()
        for seed in seeds {
            let link = links[Int(seed) % links.count]
            pump.use(try conditions(link, link, dns: "1 ms", seed: seed))
            // To standard error at once, in case the next frame crashes the process.
            if seed % 100 == 0 { FileHandle.standardError.write(Data("frames of the seeds from \(seed) on\n".utf8)) }
            var random = SeededGenerator(seed: seed)
            for round in 0..<1_000 {
                let (header, bytes) = anything(&random)
                if sockets[round % sockets.count].send(header, bytes) { taken += 1 }
                // The device has a queue of 10 000 frames, which a pump on a busy machine would let overflow.
                if round % 100 == 0 { pump.settle() }
            }
        }
        pump.use(PumpConditions(seed: 1))
        let after = pump.settled()
        let reads = Lane.allCases.reduce(Int(after.untouched)) { $0 + Int(after[$1].reads) }
        print("\(taken) of \(seeds.count * 1_000) were sent, and \(reads) read, answers among them")
        for lane in Lane.allCases {
            let counters = after[lane]
            #expect(counters.queued == 0)
            #expect(counters.left + counters.allDrops == counters.arrived + counters.duplicated, "\(lane)")
            #expect(counters.arrived > counters.reads && counters.corrupted > 0, "\(lane) had super-packets to cut")
            #expect(counters.drops(.randomLoss) > 0 && counters.drops(.queueFull) > 0 && counters.marked > 0, "\(lane)")
        }
        #expect(after.memory == before.memory, "nothing but the block into which the next frame is read")
        #expect(taken > seeds.count * 200 && reads > seeds.count * 200, "enough of them came to the pump")
    }

    /// Twenty replies each, of which the pump loses none. (ping itself counts late replies as lost, and sends again.)
    private static func expectPings(_ pump: PacketPump, _ targets: [String]) throws {
        let before = pump.settled()
        for target in targets { try PrivateNetwork.shell("ping -q -c 20 -i 0.01 -w 180 \(target)") }
        let after = pump.settled()
        for lane in Lane.allCases { #expect(after[lane].allDrops == before[lane].allDrops, "\(lane)") }
        #expect(after.uplink.left >= before.uplink.left + 40 && after.downlink.left >= before.downlink.left + 40)
    }

    /// 65 507 bytes are the most that a datagram over IPv4 carries.
    private static let payloads = [0, 30, 1_400, 9_000, 65_400].map(TestFrame.pattern)

    /// A frame with a valid, nearly valid or invalid header.
    private static func anything(_ random: inout SeededGenerator) -> (VirtioHeader, [UInt8]) {
        if Bool.random(using: &random) {
            var bytes = TestFrame.any(&random)
            TestFrame.damage(&bytes, &random)
            let isPlain = Bool.random(using: &random)
            return (isPlain ? VirtioHeader() : VirtioHeader.any(of: bytes, &random), bytes)
        }
        var frame = TestFrame()
        frame.isIPv6 = Bool.random(using: &random)
        frame.isTCP = Bool.random(using: &random)
        frame.source = frame.isIPv6 ? [UInt8](repeating: 0, count: 15) + [1] : [127, 0, 0, 1]
        frame.destination = frame.source
        (frame.sourcePort, frame.destinationPort) = (Int.random(in: 1...65_535, using: &random), 53)
        if Bool.random(using: &random) { swap(&frame.sourcePort, &frame.destinationPort) }
        if Bool.random(using: &random) { frame.destinationPort = Int.random(in: 1...65_535, using: &random) }
        frame.trafficClass = UInt8.random(in: 0...255, using: &random)
        frame.payload = payloads.randomElement(using: &random) ?? []
        var header = frame.virtio(segmentSize: Int.random(in: 1...1_460, using: &random))
        var bytes = frame.bytes
        // As in loopback's own frames.
        for index in 0..<12 { bytes[index] = 0 }
        let end = UInt16(clamping: bytes.count)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: TestFrame.damage(&bytes, &random)
        case 1: header.segmentSize = UInt16.random(in: 0...UInt16.max, using: &random)
        case 2: header.checksumOffset = UInt16.random(in: 0...end - 42, using: &random)
        case 3: header.checksumStart = UInt16.random(in: 0...end, using: &random)
        case 4: header.headerLength = UInt16.random(in: 0...UInt16.max, using: &random)
        case 5: (header.type, header.flags) = (UInt8.random(in: 0...255, using: &random), 1)
        default: break
        }
        return (header, bytes)
    }
}
