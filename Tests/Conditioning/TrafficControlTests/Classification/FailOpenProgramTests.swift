// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import Netlink
import Synchronization
import TestKit
import Testing

@testable import LinkRules
@testable import TrafficControl

/// The kernel accepts each extended program, and runs it like the classic one while the lane's device exists.
@Suite(.enabled(if: KernelFacts.canFailOpen, "needs CAP_BPF and Linux 5.12"))
struct FailOpenProgramTests {
    private static let loopback: Int32 = 1
    private static let absent: Int32 = 1_000_000

    @Test(arguments: UInt64(1)...40)
    func agreesWithTheClassicProgramUntilTheDeviceIsGone(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var classifier = Classifier.random(&generator)
        classifier.networkOffset = 14
        classifier.passesReturned = Bool.random(using: &generator)
        let program = try #require(classifier.program())
        let interpreter = try BPFInterpreter(program)
        let (present, gone) = (try Loaded(program, target: Self.loopback), try Loaded(program, target: Self.absent))
        var matched = 0
        for _ in 0..<300 {
            var packet = Traffic.random(&generator).packet
            // A frame for lc_run_classifier has no place for what the kernel keeps beside it.
            packet.hasVLANTag = false
            let expected = interpreter.answer(to: packet, networkOffset: 14)
            let frame = packet.frame(networkOffset: 14)
            #expect(try present.answer(to: frame) == expected, "\(classifier) of \(packet)")
            #expect(try gone.answer(to: frame) == 0)
            matched += expected == 0 ? 0 : 1
        }
        #expect(matched < 300)
    }

    @Test func packetsThatEndEarlyDoNotMatch() throws {
        let program = try #require(Classifier.leaving("port 443").program())
        let loaded = try Loaded(program, target: Self.loopback)
        let whole = Packet.ipv4(.tcp(from: 1000, to: 443))
        #expect(try loaded.answer(to: whole.frame(networkOffset: 14)) == .max)
        // Without the ports. The kernel makes no packet of a frame without an IP header here.
        for length in 34..<38 {
            #expect(try loaded.answer(to: Array(whole.frame(networkOffset: 14).prefix(length))) == 0, "\(length)")
        }
    }

    /// A pump that is stopped or frozen does not renew its watchdog.
    @Test func matchesUntilTheWatchdogIsNotRenewed() throws {
        let loaded = try Loaded(try #require(Classifier.leaving("port 443").program()), target: Self.loopback)
        let frame = Packet.ipv4(.tcp(from: 1000, to: 443)).frame(networkOffset: 14)
        func packet(after seconds: Int64) throws -> Bool {
            // The machine may have run for a shorter time.
            let time = UInt64(bitPattern: lc_monotonic_time() - seconds * 1_000_000_000)
            loaded.watchdog.word.pointee.store(time, ordering: .relaxed)
            return try loaded.answer(to: frame) != 0
        }
        #expect(try packet(after: 9))
        #expect(try !packet(after: 11))
        #expect(try !packet(after: 3600))
        // Another processor's clock may be ahead.
        #expect(try packet(after: -1))
        loaded.watchdog.renew()
        #expect(try loaded.answer(to: frame) == .max)
        let noted = loaded.watchdog.word.pointee.load(ordering: .relaxed)
        #expect(noted > 0 && noted <= UInt64(lc_monotonic_time()), "the time of the packet")
        #expect(try loaded.answer(to: frame) == .max)
        #expect(loaded.watchdog.word.pointee.load(ordering: .relaxed) == noted, "of the first packet")
    }

    @Test func unknownInstructionsAreNotTranslated() {
        #expect(FailOpenProgram([BPFInstruction(code: 0x84, constant: 0)], target: 1, watchdog: 0) == nil)
    }

    /// A program in the kernel, until it is released.
    private final class Loaded {
        let watchdog: FilterWatchdog
        private let programs = LoadedPrograms()
        private let descriptor: CInt

        init(_ program: [BPFInstruction], target: Int32) throws {
            watchdog = try FilterWatchdog()
            let program = FailOpenProgram(program, target: target, watchdog: watchdog.descriptor)
            descriptor = try programs.load(try #require(program))
        }

        func answer(to frame: [UInt8]) throws -> UInt32 {
            var answer: UInt32 = 0
            let result = lc_run_classifier(descriptor, frame, UInt32(frame.count), &answer)
            try #require(result == 0, "bpf(2) failed with errno \(-result)")
            return answer
        }
    }
}
