// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// `linkcond run --repeat`.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct RepeatTests {
    /// One datagram over a link that loses half of them: what happens to it is the seed's decision alone.
    private static let client = """
        import socket, sys
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("127.0.0.1", 8000))
        server.settimeout(1)
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 8000))
        try:
            server.recv(9)
        except TimeoutError:
            sys.exit(3)
        """

    private func run(_ options: [String], _ command: [String], limit: Int = HangLimit.seconds) throws -> CommandResult {
        try Program.start(
            [Program.path, "run", "--uplink", "loss=50 %", "--offline"] + options + ["--"] + command,
            limit: limit
        )
    }

    private func failingSeeds(_ outcome: CommandResult) -> [Int] {
        outcome.errors.matches(of: #/seed (\d+) failed/#).compactMap { Int($0.1) }
    }

    /// Asks by datagrams, each time until an answer comes: how often is the seed's decision alone.
    private static let asking = """
        import socket, threading
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("127.0.0.1", 8000))
        def answer():
            while True: server.sendto(b"answer", server.recvfrom(99)[1])
        threading.Thread(target=answer, daemon=True).start()
        client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        client.settimeout(0.3)
        for question in range(3):
            for attempt in range(50):
                client.sendto(b"question %d" % question, ("127.0.0.1", 8000))
                try:
                    client.recv(99)
                    break
                except TimeoutError:
                    pass
        """

    @Test func givesTheSameVerdictOnTheSameLosses() throws {
        /// What became of the packets of each lane, in order.
        func trial(_ seed: Int) throws -> (status: Int32?, fates: [Substring: [String]]) {
            let files = try TemporaryDirectory()
            let log = "\(files.path)/packets.tsv"
            let link = ["--downlink", "loss=40 %", "--seed", "\(seed)", "--log", log]
            // What a busy machine leaves in doubt is a failure, too.
            let options = link + ["--expect", "at most 600 bytes", "--strict"]
            let outcome = try run(options, ["python3", "-c", Self.asking])
            let lines = try files.read("packets.tsv").split(separator: "\n").filter { $0.contains("\tlo\t") }
            let packets = lines.map { $0.split(separator: "\t") }
            let fates = Dictionary(grouping: packets, by: { $0[5] }).mapValues { lane in
                lane.map { $0[6...].joined(separator: " ") }
            }
            return (outcome.status, fates)
        }
        let first = try trial(7)
        let isLossy = first.fates.values.joined().contains { $0.contains("dropped") }
        #expect(isLossy && (first.status == 0 || first.status == 1), "\(first)")
        for number in 1..<10 {
            let again = try trial(7)
            for lane in Set(first.fates.keys).union(again.fates.keys) {
                let (was, became) = (first.fates[lane] ?? [], again.fates[lane] ?? [])
                let index = zip(was, became).enumerated().first { $1.0 != $1.1 }?.offset ?? min(was.count, became.count)
                #expect(
                    was == became,
                    """
                    run \(number + 1), \(lane): \(was.count) packets and \(became.count); \
                    from packet \(index + 1) on \(was.dropFirst(index).prefix(5)) and \(became.dropFirst(index).prefix(5))
                    """
                )
            }
            #expect(again.status == first.status, "run \(number + 1): \(first.fates) and \(again.fates)")
        }
        let others = try (8..<12).map { try trial($0) }
        #expect(others.allSatisfy { $0.fates != first.fates })
        #expect(others.contains { $0.status != first.status })
    }

    @Test func repeatsEachFailureWithItsSeed() throws {
        let command = ["/usr/bin/python3", "-c", Self.client]
        let first = try run(["--repeat", "12", "--seed", "100"], command)
        let seeds = failingSeeds(first)
        // One in 2000 sets of twelve has none or all.
        try #require((1...11).contains(seeds.count), "\(first)")
        #expect(seeds.allSatisfy { (100..<112).contains($0) })
        #expect(first.status == 3)
        #expect(first.errors.contains("\(seeds.count) of 12 runs failed: "))
        #expect(
            first.errors.contains("to repeat it: linkcond run --uplink 'loss=50 %' --offline --seed \(seeds[0]) -- ")
        )
        let again = try run(["--repeat", "12", "--seed", "100", "--jobs", "4"], command)
        #expect(failingSeeds(again) == seeds)
        let alone = try run(["--seed", "\(seeds[0])"], command)
        #expect(alone.status == 3)
    }

    @Test func countsTheVerdictsOfEachExpectation() throws {
        let files = try TemporaryDirectory()
        let report = "\(files.path)/reports"
        let outcome = try run(
            ["--repeat", "3", "--expect", "exits with 0", "--expect", "at most 0 connections", "--report", report],
            ["sh", "-c", "echo words"]
        )
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains(#/exits with 0 +3 +0 +0\n/#))
        #expect(outcome.errors.contains("0 of 3 runs failed: 0 % (95 % interval: 0 % to 56 %)"))
        for number in 1...3 {
            #expect(try files.read("reports/run-\(number)/report.json").contains(#""verdict": "pass""#))
            #expect(try files.read("reports/run-\(number)/output.log").contains("words"))
        }
        #expect(try files.read("reports/summary.json").contains("run 3, seed"))
    }

    /// A directory that is used again keeps no report of a run that this time has not; what is not linkcond's stays.
    @Test func deletesTheReportsOfEarlierRuns() throws {
        let files = try TemporaryDirectory()
        let report = "\(files.path)/reports"
        _ = try run(["--repeat", "4", "--report", report], ["true"])
        try files.write("reports/run-3/notes.txt", "mine")
        let outcome = try run(["--repeat", "2", "--report", report], ["true"])
        #expect(outcome.status == 0, "\(outcome)")
        let runs = try FileManager.default.contentsOfDirectory(atPath: report).filter { $0.hasPrefix("run-") }
        #expect(runs.sorted() == ["run-1", "run-2", "run-3"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(report)/run-3") == ["notes.txt"])
    }

    @Test func failsIfAnExpectationDoes() throws {
        let outcome = try run(["--repeat", "2", "--expect", "exits with 1"], ["true"])
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.errors.contains("2 of 2 runs failed: 100 %"))
    }

    @Test(arguments: [
        (["--repeat", "0"], "--repeat is from 1 to 100000"), (["--jobs", "2"], "--jobs needs --repeat"),
        (["--repeat", "2", "--jobs", "0"], "--jobs is from 1 to 1000"),
        (["--repeat", "1000000000"], "from 1 to 100000"), (["--repeat", "2", "--capture", "x"], "--capture"),
        (["--repeat", "2", "--keep-children"], "--keep-children"),
        (["--repeat", "2", "--engine", "netem"], "userspace"),
        (["--repeat", "2", "-"], "standard input"),
    ])
    func refusesWhatCannotBeRepeated(options: [String], words: String) throws {
        let outcome = try run(options, ["true"])
        #expect(outcome.status == 125)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test(.enabled(if: PrivateWorld.isAvailable, PrivateWorld.need))
    func leavesNothingWhenEndedInTheMiddle() throws {
        try PrivateWorld.check(.tester, "trials.py", "leavesNothing(endByKey, REPEAT)")
    }
}
