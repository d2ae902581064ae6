// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import TestKit
import Testing

@testable import PacketPump

/// Ports and checksums in frames.
@Suite struct PortTranslationTests {
    /// A translator that keeps no port.
    private static func translation() -> PortTranslation {
        var translation = PortTranslation(PortMappings(AddressTranslation(), now: 0))
        translation.rebind()
        return translation
    }

    private static let complete = VirtioHeader()

    private static func frames(isTCP: Bool) -> [TestFrame] {
        var random = SeededGenerator(seed: isTCP ? 6 : 17)
        return (0..<200).map { _ in
            var frame = TestFrame(isTCP: isTCP)
            frame.tags = .random(in: 0...1, using: &random)
            frame.sourcePort = .random(in: 1...65_535, using: &random)
            frame.destinationPort = .random(in: 1...65_535, using: &random)
            frame.sequence = .random(in: 0...0xFFFF_FFFF, using: &random)
            let length = Int.random(in: 0...1400, using: &random)
            frame.payload = (0..<length).map { _ in .random(in: 0...255, using: &random) }
            // DHCP is never touched.
            if !isTCP { frame.destinationPort = frame.destinationPort % 60_000 + 1000 }
            if !isTCP { frame.sourcePort = frame.sourcePort % 60_000 + 1000 }
            return frame
        }
    }

    private static func port(_ bytes: [UInt8], _ offset: Int) -> Int {
        Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
    }

    @Test(arguments: [true, false]) func whatGoesOutAndComesBackIsWhatWasSent(isTCP: Bool) throws {
        var translation = Self.translation()
        var translated: [[UInt8]] = []
        for frame in Self.frames(isTCP: isTCP) {
            let stored = Stored(frame.finished, Self.complete)
            let sending = translation.translateOutgoing(stored.frame, now: 0)
            let edit = try #require(sending)
            let sent = stored.written(0, 1).bytes
            let port = Self.port(sent, frame.transportOffset)
            var expected = frame
            expected.sourcePort = port
            #expect(sent == expected.finished && port != frame.sourcePort)
            translated.append(sent)
            edit.undo()
            #expect(stored.written(0, 1).bytes == frame.finished)

            var answer = frame
            (answer.source, answer.destination) = (frame.destination, frame.source)
            (answer.sourcePort, answer.destinationPort) = (frame.destinationPort, port)
            let received = Stored(answer.finished, Self.complete)
            let isKnown = translation.translateIncoming(received.frame, now: 1)
            #expect(isKnown)
            answer.destinationPort = frame.sourcePort
            #expect(received.written(0, 1).bytes == answer.finished)
            #expect(received.frame.record.pointee.layout.destinationPort == UInt16(frame.sourcePort))
            translated.append(received.written(0, 1).bytes)
        }
        try Self.requireSoundChecksums(translated)
    }

    /// Its checksum field has the sum of the pseudo-header, without ports.
    @Test(arguments: [true, false]) func leavesAChecksumToTheDevice(isTCP: Bool) throws {
        var translation = Self.translation()
        for frame in Self.frames(isTCP: isTCP) {
            let stored = Stored(frame.bytes, frame.virtio())
            let sending = translation.translateOutgoing(stored.frame, now: 0)
            let edit = try #require(sending)
            let sent = stored.written(0, 1).bytes
            var expected = frame
            expected.sourcePort = Self.port(sent, frame.transportOffset)
            #expect(sent == expected.bytes)
            edit.undo()
            #expect(stored.written(0, 1).bytes == frame.bytes)
        }
    }

    @Test func leavesADatagramWithoutChecksumWithout() throws {
        var translation = Self.translation()
        let frame = TestFrame(isTCP: false, payload: [1, 2, 3])
        var bytes = frame.finished
        bytes.replaceSubrange(frame.transportOffset + 6..<frame.transportOffset + 8, with: [0, 0])
        let stored = Stored(bytes, Self.complete)
        _ = translation.translateOutgoing(stored.frame, now: 0)
        #expect(Self.port(stored.written(0, 1).bytes, frame.transportOffset + 6) == 0)
    }

    @Test func losesWhatHasNoMapping() {
        var translation = Self.translation()
        let frame = TestFrame(isTCP: false, payload: [1])
        let stored = Stored(frame.finished, Self.complete)
        let isKnown = translation.translateIncoming(stored.frame, now: 0)
        #expect(!isKnown)
    }

    /// "Port unreachable", from a server about a packet with the translated port.
    @Test func translatesThePacketThatAnErrorQuotes() throws {
        var translation = Self.translation()
        let frame = TestFrame(isTCP: false, sourcePort: 40_000, destinationPort: 81, payload: [1, 2, 3, 4])
        let stored = Stored(frame.finished, Self.complete)
        _ = translation.translateOutgoing(stored.frame, now: 0)
        let sent = stored.written(0, 1).bytes
        func error(_ quoted: [UInt8]) -> [UInt8] {
            var message: [UInt8] = [3, 3, 0, 0, 0, 0, 0, 0] + quoted.dropFirst(14)
            message.replaceSubrange(2..<4, with: big(Int(naiveChecksum(message)), 2))
            var header = [0x45, 0] + big(20 + message.count, 2) + [0, 0, 0, 0, 64, 1, 0, 0]
            header += [10, 0, 0, 2, 10, 0, 0, 1]
            header.replaceSubrange(10..<12, with: big(Int(naiveChecksum(header)), 2))
            return [UInt8](repeating: 2, count: 12) + [8, 0] + header + message
        }
        let received = Stored(error(sent), Self.complete)
        let isKnown = translation.translateIncoming(received.frame, now: 1)
        #expect(isKnown)
        #expect(received.written(0, 1).bytes == error(frame.finished))
        try Self.requireSoundChecksums([received.written(0, 1).bytes])
    }

    /// As another implementation sees them.
    private static func requireSoundChecksums(_ frames: [[UInt8]]) throws {
        guard (try? CommandResult(of: ["tshark", "--version"], limit: 180).status) == 0 else { return }
        let files = try TemporaryDirectory()
        func little(_ value: Int) -> [UInt8] { big(value, 4).reversed() }
        var bytes = little(0xA1B2_C3D4) + [2, 0, 4, 0] + little(0) + little(0) + little(65_535) + little(1)
        for frame in frames { bytes += little(1) + little(0) + little(frame.count) + little(frame.count) + frame }
        let path = "\(files.path)/frames.pcap"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let checks = ["ip", "tcp", "udp"].flatMap { ["-o", "\($0).check_checksum:TRUE"] }
        let bad = ["ip", "tcp", "udp", "icmp"].map { "\($0).checksum.status == 0" }.joined(separator: " || ")
        let seen = try CommandResult(of: ["tshark", "-r", path] + checks + ["-Y", "ip"], limit: 180)
        #expect(seen.output.split(separator: "\n").count == frames.count)
        let found = try CommandResult(of: ["tshark", "-r", path] + checks + ["-Y", bad], limit: 180)
        #expect(found.status == 0 && found.output.isEmpty, "\(found.output)")
    }
}
