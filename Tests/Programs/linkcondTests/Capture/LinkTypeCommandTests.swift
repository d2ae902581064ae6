// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Every command that reads a capture reads one of any link that is known, and refuses others by number.
@Suite struct LinkTypeCommandTests {
    private static let commands = [
        ["capture", "-r"], ["capture", "--summary", "-r"], ["simulate", "Slow Net", "--capture"], ["import"],
    ]

    /// A pcap file with a handshake of TCP, an answer and its end.
    private static func capture(_ type: UInt32, _ header: [UInt8]) -> [UInt8] {
        func bytes(_ numbers: [UInt32]) -> [UInt8] { numbers.withUnsafeBytes { Array($0) } }
        var file = bytes([0xA1B2_C3D4, 0x0004_0002, 0, 0, 65535, type])
        let segments: [(isFromClient: Bool, flags: UInt8, sequence: UInt8, acknowledgment: UInt8)] = [
            (true, 2, 0, 0), (false, 0x12, 0, 1), (true, 0x10, 1, 1), (true, 0x11, 1, 1), (false, 0x11, 1, 2),
            (true, 0x10, 2, 2),
        ]
        for (index, segment) in segments.enumerated() {
            let ends: [[UInt8]] = [[10, 0, 0, 1], [10, 0, 0, 2]]
            let ports: [[UInt8]] = [[0xC0, 0], [0, 80]]
            let from = segment.isFromClient ? 0 : 1
            let ip: [UInt8] = [0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, 6, 0, 0] + ends[from] + ends[1 - from]
            let tcp: [UInt8] =
                ports[from] + ports[1 - from] + [
                    0, 0, 0, segment.sequence, 0, 0, 0, segment.acknowledgment, 0x50, segment.flags,
                ]
                + [255, 255, 0, 0, 0, 0]
            let packet = header + ip + tcp
            file += bytes([1, UInt32(index) * 20_000, UInt32(packet.count), UInt32(packet.count)]) + packet
        }
        return file
    }

    private static func run(_ file: [UInt8]) throws -> [CommandResult] {
        let directory = try TemporaryDirectory()
        try Data(file).write(to: URL(fileURLWithPath: "\(directory.path)/a.pcap"))
        return try commands.map { try Program.start([Program.path] + $0 + ["\(directory.path)/a.pcap"]) }
    }

    @Test(
        arguments: [
            (113, [0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 8, 0]),
            (276, [8, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0]), (0, [2, 0, 0, 0]),
            (9, [0xFF, 3, 0, 0x21]),
            (1, [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0x64, 0x11, 0, 0, 1, 0, 42, 0, 0x21]),
            (1, [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0x47, 0, 1, 0x11, 64]),
        ] as [(UInt32, [UInt8])]
    )
    func readsIt(type: UInt32, header: [UInt8]) throws {
        let outcomes = try Self.run(Self.capture(type, header))
        #expect(outcomes.allSatisfy { $0.status == 0 }, "\(outcomes)")
        #expect(outcomes[0].output.contains("10.0.0.1.49152 > 10.0.0.2.80: tcp [S]"), "\(outcomes[0])")
        #expect(outcomes[1].output.contains("connections: 1, attempts: 1"), "\(outcomes[1])")
        #expect(outcomes[3].output.contains("\"delay\": \"10 ms\""), "\(outcomes[3])")
    }

    @Test(arguments: [105, 127, 189, 65000] as [UInt32]) func refusesItByNumber(type: UInt32) throws {
        for outcome in try Self.run(Self.capture(type, [])) {
            #expect(outcome.status == 65 && outcome.errors.contains("link type \(type)"), "\(outcome)")
        }
    }
}
