// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import LinkProfiles
import TestKit
import Testing

@testable import PacketPump

/// Packets between a host without IPv4 and servers of IPv4, held to frames of both versions that were written by hand.
@Suite struct FamilyTranslationTests {
    private static let (host, server): ([UInt8], [UInt8]) = ([10, 0, 2, 100], [192, 0, 2, 7])
    private static let ownAddress: [UInt8] = [0xFD] + [UInt8](repeating: 0, count: 14) + [2]
    private static let serverAddress: [UInt8] = [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8) + server
    private static let complete = VirtioHeader()

    private static func translation() throws -> FamilyTranslation {
        let address = try #require(IPAddress("10.0.2.100"))
        return try #require(FamilyTranslation(address))
    }

    /// Frames of the host's, and what becomes of each.
    private static func frames(isTCP: Bool) -> [(inside: TestFrame, outside: TestFrame)] {
        var random = SeededGenerator(seed: isTCP ? 64 : 46)
        return (0..<200).map { _ in
            var frame = TestFrame(isIPv6: true, isTCP: isTCP, source: ownAddress, destination: serverAddress)
            frame.tags = .random(in: 0...1, using: &random)
            // No DNS, and no DHCP.
            frame.sourcePort = .random(in: 1_000...65_535, using: &random)
            frame.destinationPort = .random(in: 1_000...65_535, using: &random)
            frame.sequence = .random(in: 0...0xFFFF_FFFF, using: &random)
            frame.trafficClass = .random(in: 0...255, using: &random)
            let length = Int.random(in: 0...1_400, using: &random)
            frame.payload = (0..<length).map { _ in .random(in: 0...255, using: &random) }
            return (frame, outside(frame))
        }
    }

    private static func outside(_ frame: TestFrame) -> TestFrame {
        var frame = frame
        (frame.isIPv6, frame.source, frame.destination, frame.identification) = (false, host, server, 0)
        return frame
    }

    private static func answer(to frame: TestFrame) -> TestFrame {
        var frame = frame
        (frame.source, frame.destination) = (frame.destination, frame.source)
        (frame.sourcePort, frame.destinationPort) = (frame.destinationPort, frame.sourcePort)
        return frame
    }

    /// What is written of a frame of the host's; nil if it is lost, or is none of the translator's.
    private static func sent(
        _ stored: Stored,
        _ translation: inout FamilyTranslation
    ) -> (header: VirtioHeader, bytes: [UInt8])? {
        let writer = FrameWriter()
        let (head, tail) = writer.pieces(of: stored.frame.whole, .none)
        guard case .translated(let bytes) = translation.translateOutgoing(head, stored.frame.record.pointee.layout)
        else {
            return nil
        }
        return (bytes.loadUnaligned(as: VirtioHeader.self), Array(bytes.dropFirst(VirtioHeader.size)) + Array(tail))
    }

    /// The frame that the host gets of one from outside; nil if it is lost.
    private static func received(
        _ bytes: [UInt8],
        _ translation: inout FamilyTranslation,
        _ header: VirtioHeader = complete
    ) -> Stored? {
        let stored = Stored(bytes, header)
        return translation.translateIncoming(stored.frame) ? stored : nil
    }

    @Test(arguments: [true, false]) func translatesBothWays(isTCP: Bool) throws {
        var translation = try Self.translation()
        for (inside, outside) in Self.frames(isTCP: isTCP) {
            let sent = Self.sent(Stored(inside.finished, Self.complete), &translation)
            try #require(sent?.bytes == outside.finished)
            let received = Self.received(Self.answer(to: outside).finished, &translation)
            try #require(received?.written(0, 1).bytes == Self.answer(to: inside).finished)
        }
    }

    /// The field has the sum of the pseudo-header.
    @Test(arguments: [true, false]) func leavesChecksumsToTheDevice(isTCP: Bool) throws {
        var translation = try Self.translation()
        for (inside, outside) in Self.frames(isTCP: isTCP) {
            let sent = Self.sent(Stored(inside.bytes, inside.virtio()), &translation)
            try #require(sent?.bytes == outside.bytes && sent?.header == outside.virtio())
            let answer = Self.answer(to: outside)
            let written = Self.received(answer.bytes, &translation, answer.virtio())?.written(0, 1)
            try #require(written?.bytes == Self.answer(to: inside).bytes)
            try #require(written?.header == Self.answer(to: inside).virtio())
        }
    }

    @Test func translatesSuperPackets() throws {
        var translation = try Self.translation()
        var inside = try #require(Self.frames(isTCP: true).first?.inside)
        (inside.payload, inside.flags) = (TestFrame.pattern(5_000), 0x98)
        let outside = Self.outside(inside)
        let sent = Self.sent(Stored(inside.bytes, inside.virtio(segmentSize: 1_428)), &translation)
        #expect(sent?.bytes == outside.bytes && sent?.header == outside.virtio(segmentSize: 1_428))
        let answer = Self.answer(to: outside)
        let received = Self.received(answer.bytes, &translation, answer.virtio(segmentSize: 1_428))
        #expect(received?.segments == 4)
        let written = received?.written(0, 4)
        #expect(written?.bytes == Self.answer(to: inside).bytes)
        #expect(written?.header == Self.answer(to: inside).virtio(segmentSize: 1_428))
    }

    /// IPv6 has none without.
    @Test func givesADatagramAChecksum() throws {
        var translation = try Self.translation()
        let (inside, outside) = try #require(Self.frames(isTCP: false).first)
        _ = Self.sent(Stored(inside.finished, Self.complete), &translation)
        let answer = Self.answer(to: outside)
        var bytes = answer.finished
        bytes.replaceSubrange(answer.transportOffset + 6..<answer.transportOffset + 8, with: [0, 0])
        let received = Self.received(bytes, &translation)
        #expect(received?.written(0, 1).bytes == Self.answer(to: inside).finished)
    }

    /// "Port unreachable" about a packet of the host's, and "packet too big" with the difference of the headers.
    @Test(arguments: [
        (3, 3, 0, 1, 4, 0), (3, 1, 0, 1, 0, 0), (3, 13, 0, 1, 1, 0), (3, 4, 1_400, 2, 0, 1_420), (11, 0, 0, 3, 0, 0),
    ])
    func translatesErrors(error: (type: Int, code: Int, limit: Int, newType: Int, newCode: Int, newLimit: Int)) throws {
        var translation = try Self.translation()
        let inside = try #require(Self.frames(isTCP: false).first { $0.inside.tags == 0 }?.inside)
        let sent = try #require(Self.sent(Stored(inside.finished, Self.complete), &translation)).bytes
        var message = [UInt8(error.type), UInt8(error.code), 0, 0] + big(error.limit, 4) + sent[14..<42]
        message.replaceSubrange(2..<4, with: big(Int(naiveChecksum(message)), 2))
        let header =
            [0x45, 0] + big(20 + message.count, 2) + [0, 0, 0, 0, 64, 1, 0, 0] + [198, 51, 100, 1] + Self.host
        let received = Self.received([UInt8](repeating: 2, count: 12) + [8, 0] + header + message, &translation)
        let bytes = try #require(received).written(0, 1).bytes
        let reporter: [UInt8] = Self.serverAddress.prefix(12) + [198, 51, 100, 1]
        #expect(Array(bytes[22..<54]) == reporter + Self.ownAddress)
        #expect(Array(bytes[54..<56]) == [UInt8(error.newType), UInt8(error.newCode)])
        #expect(Array(bytes[58..<62]) == big(error.newLimit, 4))
        let body = Array(bytes[54...])
        #expect(naiveChecksum(reporter + Self.ownAddress + big(body.count, 4) + [0, 0, 0, 58] + body) == 0)
        // The quoted headers, up to the checksum.
        #expect(Array(bytes[62..<108]) == Array(inside.finished[14..<60]))
        #expect(Int(bytes[18]) << 8 | Int(bytes[19]) == body.count)
    }

    private static func query(_ name: [UInt8], _ type: Int) -> [UInt8] {
        let header: [UInt8] = [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        return header + question(name, type)
    }

    private static func question(_ name: [UInt8], _ type: Int) -> [UInt8] { name + [0] + big(type, 2) + [0, 1] }

    /// The answer to a query of these records.
    private static func answer(_ question: [UInt8], _ records: [[UInt8]], authority: [UInt8] = []) -> [UInt8] {
        var message: [UInt8] = [0x12, 0x34, 0x81, 0x80, 0, 1]
        message += big(records.count, 2)
        message += [0, authority.isEmpty ? 0 : 1, 0, 0]
        message += question
        for record in records { message += record }
        return message + authority
    }

    private static func record(_ type: Int, _ data: [UInt8]) -> [UInt8] {
        let lifetime: [UInt8] = [0, 1, 0, 0, 1, 2]
        return [0xC0, 12] + big(type, 2) + lifetime + big(data.count, 2) + data
    }

    /// Names of even and of odd lengths, since the type that changes is at an even or an odd place then.
    @Test(arguments: [[4, 115, 104, 111, 112, 4, 116, 101, 115, 116], [1, 97], [2, 97, 98], []] as [[UInt8]])
    func givesNamesAddressesOfThePrefix(name: [UInt8]) throws {
        var translation = try Self.translation()
        var asked = try #require(Self.frames(isTCP: false).first?.inside)
        asked.destinationPort = 53
        for type in [28, 1, 28] {
            for addresses in [[[192, 0, 2, 9], [198, 51, 100, 3]], []] as [[[UInt8]]] {
                asked.payload = Self.query(name, type)
                var expected = Self.outside(asked)
                expected.payload = Self.query(name, 1)
                let sent = Self.sent(Stored(asked.finished, Self.complete), &translation)
                try #require(sent?.bytes == expected.finished)

                var answered = Self.answer(to: expected)
                // An alias, the addresses, and a name server.
                let alias = Self.record(5, [1, 98, 0xC0, 12])
                let found = addresses.map { Self.record(1, $0) }
                let authority = Self.record(2, [0xC0, 12])
                answered.payload = Self.answer(Self.question(name, 1), [alias] + found, authority: authority)
                var told = Self.answer(to: asked)
                let prefix = Array(Self.serverAddress.prefix(12))
                let synthesized = addresses.map { Self.record(28, prefix + $0) }
                let answer = Self.answer(Self.question(name, 28), synthesized)
                told.payload = type == 1 ? answered.payload : answer
                let received = Self.received(answered.finished, &translation)
                try #require(received?.written(0, 1).bytes == told.finished)
            }
        }
    }

    @Test func losesWhatItDoesNotKnow() throws {
        var translation = try Self.translation()
        let (inside, outside) = try #require(Self.frames(isTCP: true).first)
        let unknown = Self.received(Self.answer(to: outside).finished, &translation)
        #expect(unknown == nil)
        // A fragment.
        _ = Self.sent(Stored(inside.finished, Self.complete), &translation)
        var fragment = Self.answer(to: outside).finished
        fragment[inside.networkOffset + 6] = 0x20
        let part = Self.received(fragment, &translation)
        #expect(part == nil)
    }

    /// 1,472 bytes fill a packet of IPv4, and the one of IPv6 is 20 bytes larger than the MTU.
    @Test func translatesDatagramsOfFullSize() throws {
        var translation = try Self.translation()
        var inside = try #require(Self.frames(isTCP: false).first?.inside)
        _ = Self.sent(Stored(inside.finished, Self.complete), &translation)
        inside.payload = TestFrame.pattern(1_472)
        let received = Self.received(Self.answer(to: Self.outside(inside)).finished, &translation)
        #expect(received?.written(0, 1).bytes == Self.answer(to: inside).finished)
    }

    /// The network says of them that it has no mapping, when they arrive.
    @Test func losesWhatCannotBeTranslated() throws {
        var gate = NetworkGate()
        var state = NetworkState()
        (state.ipv6, state.translatedAddress) = (.only, IPAddress("10.0.2.100"))
        gate.use(state, now: 0)
        let frame = try #require(Self.frames(isTCP: true).first?.inside)
        func loss(_ next: UInt8, to server: Bool = true, isDownlink: Bool = false) -> DropReason? {
            var bytes = frame.finished
            bytes[frame.networkOffset + 6] = next
            if !server { bytes[frame.networkOffset + 24] = 0x20 }
            let stored = Stored(bytes, Self.complete)
            return gate.loss(of: stored.frame, isDownlink: isDownlink)
        }
        // SCTP, a fragment, and options of the hops.
        for next in [132, 44, 0] as [UInt8] {
            #expect(loss(next) == .noMapping, "\(next)")
            #expect(loss(next, to: false) == nil && loss(next, isDownlink: true) == nil, "\(next)")
        }
        #expect(loss(6) == nil)
    }

    @Test func leavesOthersAlone() throws {
        var translation = try Self.translation()
        var frame = TestFrame(isIPv6: true)
        let sent = Self.sent(Stored(frame.finished, Self.complete), &translation)
        frame.isIPv6 = false
        let received = Self.received(frame.finished, &translation)
        #expect(sent == nil && received?.written(0, 1).bytes == frame.finished)
    }

    /// Whatever the bytes, nothing is read or written beyond the frame.
    @Test func staysWithinFramesOfAnyBytes() throws {
        var translation = try Self.translation()
        var random = SeededGenerator(seed: 3)
        var counts = (translated: 0, received: 0)
        for _ in 0..<30_000 {
            var bytes = TestFrame.any(&random)
            let to = bytes.count > 60 ? Int.random(in: 26...40, using: &random) : 0
            if to > 0, random.isOne(in: 2) { bytes.replaceSubrange(38..<54, with: Self.serverAddress) }
            if to > 0, random.isOne(in: 2) { bytes.replaceSubrange(30..<34, with: Self.host) }
            if random.isOne(in: 2) { TestFrame.damage(&bytes, &random) }
            let stored = Stored(bytes, VirtioHeader.any(of: bytes, &random))
            if Self.sent(stored, &translation) != nil { counts.translated += 1 }
            if translation.translateIncoming(stored.frame), stored.frame.record.pointee.layout.isIPv6 {
                counts.received += 1
            }
        }
        #expect(counts.translated > 500 && counts.received > 500, "\(counts)")
    }
}
