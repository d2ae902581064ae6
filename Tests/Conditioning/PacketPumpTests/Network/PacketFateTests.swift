// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Foundation
import LinkEmulation
import LinkProfiles
import LinuxSystem
import TestKit
import Testing

@testable import PacketPump

/// What the log, the recorder and the counters say of the fates of packets.
@Suite(.enabled(if: PrivateNetwork.canPump, "needs root, /dev/net/tun, tc and ip"), .serialized)
struct PacketFateTests {
    /// A device that is down refuses what is written to it.
    @Test(arguments: ["", #", "loss": "0.0001 %""#])
    func tellsThatTheDeviceHasRefusedAPacket(more: String) throws {
        // As long as the machine needs to take the device down before the packet leaves.
        for delay in [2, 20, 120] where try isRefused(#"{"delay": "\#(delay) s"\#(more)}"#) { return }
        Issue.record("the packet has left")
    }

    /// Whether a packet was still held when the device was taken down; expects then that it was refused.
    private func isRefused(_ uplink: String) throws -> Bool {
        try PrivateNetwork.run {
            let file = lc_open_memory("log")
            defer { close(file) }
            let log = try PacketLog(descriptor: file, device: "lo")
            let pump = try LoopbackPump(try conditions(uplink), log: log)
            let client = try LoopbackSocket.udp()
            try client.connect(to: 6_000)
            client.send(numbered(0, 1000))
            #expect(HangLimit.waits { pump.pump.counters.read().uplink.arrived == 1 })
            try PrivateNetwork.shell("ip link set pump0 down")
            let isHeld = pump.pump.counters.read().uplink.queued == 1
            let counters = pump.settled().uplink
            guard isHeld else { return false }
            #expect(counters.drops(.refused) == 1 && counters.left == 0, "\(counters)")
            pump.pump.stop()
            log.finish()
            let fates = text(of: file).split(separator: "\n").dropFirst().dropLast().map { line in
                line.split(separator: "\t")[6...7].map { String($0) }
            }
            #expect(fates == [["dropped", "refused"]])
            return true
        }
    }

    /// The receiver could not put the rest together.
    @Test func losesTheRestOfAPacketWithAFragment() throws {
        try PrivateNetwork.run {
            let recorder = try #require(PacketRecorder())
            let profile = try Profile(
                utf8: #"{"name": "A", "faults": [{"match": {"port": 6000, "packet": "first 1"}, "do": "lose"}]}"#.utf8
            )
            let pump = try LoopbackPump(PumpConditions(profile))
            pump.pump.record(by: recorder)
            let server = try LoopbackSocket.udp(port: 6_000)
            let client = try LoopbackSocket.udp()
            try client.connect(to: 6_000)
            // Four fragments each: no later one has a port by which the fault knows it.
            for round in 0..<2 { #expect(client.send(numbered(round, 5_000))) }
            #expect(pump.receiveAll(at: server) == [numbered(1, 5_000)])
            let counters = pump.settled().uplink
            #expect(counters.drops(.fault(.init(1, .lose))) == 4 && counters.left == 4, "\(counters)")
            pump.pump.stop()
            var fates: [Bool] = []
            recorder.drain { packet, _ in
                guard packet.kind == .packet else { return }
                if case .dropped(.fault) = packet.fate { fates.append(false) } else { fates.append(true) }
            }
            #expect(fates == [false, false, false, false, true, true, true, true])
        }
    }

    /// Of a packet that the link has copied, one record is the sender's, whatever becomes of the copies.
    @Test(arguments: [
        #"{"duplicate": "100 %"}"#, #"{"duplicate": "100 %", "corrupt": "100 %"}"#,
        #"{"duplicate": "100 %", "rate": "100 kbit/s", "queue": "1 packets"}"#,
        #"{"duplicate": "100 %", "delay": "30 s"}"#,
    ])
    func recordsWhichPacketsAreCopies(uplink: String) throws {
        try PrivateNetwork.run {
            let recorder = try #require(PacketRecorder())
            let pump = try LoopbackPump(try conditions(uplink))
            pump.pump.record(by: recorder)
            let server = try LoopbackSocket.udp(port: 6_000)
            let client = try LoopbackSocket.udp()
            try client.connect(to: 6_000)
            for round in 0..<20 { #expect(client.send(numbered(round, 1_000))) }
            // Those that are still on their way are dropped when it ends.
            if uplink.contains("30 s") { pump.pump.settle() } else { _ = pump.settled() }
            pump.pump.stop()
            var copies: [Bool: Int] = [:]
            recorder.drain { packet, _ in
                if packet.kind == .packet, packet.lane == .uplink { copies[packet.isCopy, default: 0] += 1 }
            }
            #expect(copies == [false: 20, true: 20])
            withExtendedLifetime(server) {}
        }
    }

    /// A reader of the log must not take them for what the sender sent again.
    @Test func logsCopiesAsCopies() throws {
        try PrivateNetwork.run {
            let file = lc_open_memory("log")
            defer { close(file) }
            let log = try PacketLog(descriptor: file, device: "lo")
            let pump = try LoopbackPump(try conditions(#"{"duplicate": "100 %"}"#), log: log)
            try pump.carries(Array(0..<500).flatMap { [$0, $0] })
            _ = pump.settled()
            pump.pump.stop()
            log.finish()
            var bytes = [UInt8](repeating: 0, count: Int(lseek(file, 0, SEEK_END)))
            #expect(pread(file, &bytes, bytes.count, 0) == bytes.count)
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            let fates = lines.filter { $0.contains("\tuplink\t") }.map { $0.split(separator: "\t")[6] }
            #expect(fates.count { $0 == "duplicate" } == fates.count / 2 && fates.count >= 1000, "\(fates.count)")
        }
    }

    @Test func logsEveryPacket() throws {
        try PrivateNetwork.run {
            let path = NSTemporaryDirectory() + "packets-\(UUID().uuidString)"
            let file = open(path, O_RDWR | O_CREAT, 0o600)
            defer {
                close(file)
                unlink(path)
            }
            let log = try PacketLog(descriptor: file, device: "lo")
            let pump = try LoopbackPump(try conditions(#"{"loss": "30 %", "delay": "1 ms"}"#), log: log)
            let client = try LoopbackSocket.udp(port: 7_000)
            let server = try LoopbackSocket.udp(port: 6_000)
            defer { withExtendedLifetime(server) {} }
            try client.connect(to: 6_000)
            for round in 0..<300 { #expect(client.send(numbered(round))) }
            let reading = pump.settled()
            pump.pump.stop()
            log.finish()
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            let uplink = lines.filter { $0.contains("\tuplink\t") }.map { $0.split(separator: "\t") }
            #expect(UInt64(uplink.count) == reading.uplink.arrived)
            #expect(
                UInt64(uplink.count { $0[6] == "dropped" && $0[7] == "randomLoss" })
                    == reading.uplink.drops(.randomLoss)
            )
            for line in uplink where line[6] == "passed" {
                let times = line[..<3].compactMap { Double($0) }
                #expect(times.count == 3 && abs(times[1] - times[0] - 0.001) < 1e-8 && times[2] >= times[1])
            }
            #expect(lines.last == "# lost 0 lines of lo")
        }
    }
}
