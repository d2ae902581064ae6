// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import TestKit
import Testing

@testable import linkcond

/// `linkcond simulate`: what a link would do.
@Suite struct SimulateTests {
    private struct Report: Decodable {
        struct Lane: Decodable {
            struct Reason: Decodable {
                let reason: String
                let packets: Int
            }

            let lane: String
            let packets: Int
            let lost: Int
            let reasons: [Reason]
            let delay50: Double?
            let longestDelay: Double?
            let percentBehindOthers: Int?
        }

        let lanes: [Lane]
    }

    private func simulate(_ arguments: String...) throws -> CommandResult {
        try Program.start([Program.path, "simulate"] + arguments)
    }

    private func lanes(_ arguments: String...) throws -> [Report.Lane] {
        let result = try Program.start([Program.path, "simulate"] + arguments + ["--json"])
        try result.requireSuccess()
        return try JSONDecoder().decode(Report.self, from: Data(result.bytes)).lanes
    }

    /// By hand: 1,514 bytes at 1 Mbit/s take 12.112 ms; a third more than the rate is sent for 8 s, so a quarter of it
    /// is lost once the queue of 300 ms is full, which takes 0.9 s.
    @Test func saysWhatBecomesOfGeneratedPackets() throws {
        let figures = ["--downlink", "rate=1 Mbit/s,delay=50 ms,queue=300 ms", "--for", "8s", "--seed", "1"]
        let lanes = try self.lanes(figures[0], figures[1], figures[2], figures[3], figures[4], figures[5])
        let downlink = try #require(lanes.first)
        #expect(lanes.map(\.lane) == ["downlink", "uplink"] && downlink.packets == 880)
        #expect(downlink.reasons.map(\.reason) == ["queueFull"])
        let expected = 880 * 0.25 * (8 - 0.9) / 8
        #expect(abs(Double(downlink.lost) - expected) <= 4, "\(downlink.lost)")
        // 24 of them fit into 37,500 bytes.
        #expect(abs((downlink.longestDelay ?? 0) - (50 + 24 * 12.112)) < 0.01)
        #expect(lanes[1].lost == 0 && lanes[1].delay50 == 0)
    }

    @Test func saysHowLongPacketsWaitBehindOthers() throws {
        let figures = ["--rate", "2 Mbit/s", "--uplink", "queue=300 ms", "--load", "200 kbit/s", "--for", "60s"]
        let busy = figures + ["--competing", "bulk up", "--seed", "1"]
        let result = try Program.start([Program.path, "simulate"] + busy + ["--json"])
        let lanes = try JSONDecoder().decode(Report.self, from: Data(result.bytes)).lanes
        #expect(lanes[0].percentBehindOthers == nil)
        #expect((lanes[1].percentBehindOthers ?? 0) > 70 && (lanes[1].delay50 ?? 0) > 100)
        let text = try Program.start([Program.path, "simulate"] + busy).output
        #expect(text.contains("\n  waited behind others") && text.contains(" % of the delay"), "\(text)")
        let alone = try Program.start([Program.path, "simulate"] + figures).output
        #expect(!alone.contains("waited behind others"), "\(alone)")
    }

    @Test func namesPacketsThatADisciplineDrops() throws {
        let figures = ["--downlink", "rate=1 Mbit/s,queue=codel", "--load", "2 Mbit/s", "--for", "8s"]
        let text = try Program.start([Program.path, "simulate"] + figures).output
        #expect(text.contains("\n    queue management "), "\(text)")
    }

    @Test func saysWhyPacketsAreLost() throws {
        let figures = ["--downlink", "rate=1 Mbit/s,queue=300 ms", "--load", "2 Mbit/s", "--for", "8s"]
        let text = try Program.start([Program.path, "simulate"] + figures).output
        #expect(text.contains("\n    queue full ") && !text.contains("queueFull"), "\(text)")
    }

    /// An hour ends before a program that waits for it would be ended.
    @Test func doesNotWait() throws {
        let lanes = try lanes("Slow Net", "--for", "3600s")
        #expect((lanes.first?.packets ?? 0) > 10_000)
    }

    @Test func repeatsASeed() throws {
        let first = try simulate("Nasty Net", "--seed", "7")
        #expect(first.status == 0 && first.lines.contains { $0.contains("lost") })
        #expect(try simulate("Nasty Net", "--seed", "7").output == first.output)
        #expect(try simulate("Nasty Net", "--seed", "8").output != first.output)
    }

    /// What a run has captured, on another link: the same packets, whose delays are that link's.
    @Test(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
    func takesThePacketsOfACapture() throws {
        let files = try TemporaryDirectory()
        let capture = "\(files.path)/run.pcapng"
        let run = try Program.start(
            [
                Program.path, "run", "--offline", "--downlink", "delay=1 ms", "--uplink", "loss=100 %", "--capture",
                capture,
                "--", "ping", "-c", "4", "-i", "0.2", "-W", "1", "127.0.0.1",
            ]
        )
        #expect(run.status == 1, "\(run.errors)")
        let lanes = try lanes("--uplink", "delay=30 ms", "--capture", capture)
        #expect(lanes.map(\.lane) == ["uplink"] && lanes.first?.packets == 4 && lanes.first?.lost == 0)
        #expect(lanes.first?.delay50 == 30)
        let text = try Program.start([Program.path, "simulate", "DSL", "--capture", Program.path])
        #expect(text.status == 65 && text.errors.contains("neither a pcapng nor a pcap file"))
    }

    @Test(arguments: [
        (["simulate"], 64, "missing a profile"),
        (["simulate", "DSL", "--load", "much"], 64, "'much' is not a rate"),
        (["simulate", "DSL", "--size", "20"], 64, "--size is from 64"),
        (["simulate", "DSL", "--host", "::1"], 64, "--host needs --capture"),
        (["simulate", "DSL", "--load", "100 Gbit/s", "--for", "60s"], 64, "more than 20 million packets"),
        (["simulate", "DSL", "--capture", "/nowhere"], 66, "cannot read /nowhere"),
    ])
    func refusesWhatItCannotSimulate(arguments: [String], status: Int32, words: String) throws {
        let result = try Program.start([Program.path] + arguments)
        #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
        #expect(result.bytes.isEmpty)
    }
}
