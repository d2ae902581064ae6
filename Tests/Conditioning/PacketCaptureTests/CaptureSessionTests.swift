// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Foundation
import Glibc
import LinuxSystem
import TestKit
import Testing

@testable import PacketCapture

/// Packets of an interface on the way to a file.
@Suite(.enabled(if: Kernel.isRoot, "needs root for a packet socket"))
struct CaptureSessionTests {
    private static let port: UInt16 = 48_217

    /// A server's hello is encrypted in part, and its client logs the key when it has read it: readers of the file need the
    /// key before that packet.
    @Test func writesKeysBeforePacketsThatWereSentShortlyBefore() throws {
        // On a busy machine the keys may come too late.
        var kinds: [String]?
        for _ in 0..<20 where kinds == nil { kinds = try Self.recordsWithKeysInTime() }
        guard let kinds else { try endInconclusively("keys were written 400 ms after the packet or later, each time") }
        #expect(kinds == ["keys", "packet"])
    }

    /// The records that a session writes of a packet and of keys that follow; nil if these did not follow in time.
    private static func recordsWithKeysInTime() throws -> [String]? {
        let files = try TemporaryDirectory()
        let keys = try files.write("keys", "").path
        let output = open("\(files.path)/packets.pcapng", O_RDWR | O_CREAT, 0o600)
        let keyLog = open(keys, O_RDONLY)
        let (stop, end) = try Descriptors.socketPair(SOCK_STREAM)
        defer { for descriptor in [output, keyLog, stop, end] { close(descriptor) } }
        let filter = try PacketFilter("udp port \(Self.port)", snapLength: 100).withoutLoopbackCopies
        let ring = try PacketRing(interface: Int32(if_nametoindex("lo")), filter)
        nonisolated(unsafe) let session = CaptureSession(
            ring,
            CaptureSession.Options(),
            files: CaptureFiles(descriptor: output),
            keyLog: keyLog,
            name: { _ in CapturedDevice("lo") },
            show: nil
        )
        let thread = try PosixThread.start { _ = session.run(stop: stop) }
        let sent = ContinuousClock.now
        try Self.send()
        usleep(150_000)
        try Data("CLIENT_RANDOM a b\n".utf8).write(to: URL(fileURLWithPath: keys))
        let isInTime = sent.duration(to: .now) < .milliseconds(400)
        // What was handed over to be written is.
        let path = "\(files.path)/packets.pcapng"
        #expect(try !isInTime || HangLimit.waits { try Self.kinds(in: path).count == 2 })
        shutdown(end, CInt(SHUT_WR))
        thread.join()
        return isInTime ? try kinds(in: path) : nil
    }

    /// The records of a file that may still be written.
    private static func kinds(in path: String) throws -> [String] {
        var reader = CaptureReader()
        reader.append(try Data(contentsOf: URL(fileURLWithPath: path))[...])
        var kinds: [String] = []
        while let record = try reader.next() {
            switch record {
            case .tlsKeys: kinds.append("keys")
            case .packet: kinds.append("packet")
            default: break
            }
        }
        return kinds
    }

    private static func send() throws {
        let descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let count = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, "hello", 5, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(count == 5)
    }
}
