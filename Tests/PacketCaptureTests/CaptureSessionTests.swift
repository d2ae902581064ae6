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
        try Self.send()
        usleep(150_000)
        try Data("CLIENT_RANDOM a b\n".utf8).write(to: URL(fileURLWithPath: keys))
        // What was handed over to be written is.
        usleep(1_000_000)
        shutdown(end, CInt(SHUT_WR))
        thread.join()
        var reader = CaptureReader()
        reader.append(try Data(contentsOf: URL(fileURLWithPath: "\(files.path)/packets.pcapng"))[...])
        var kinds: [String] = []
        while let record = try reader.next() {
            switch record {
            case .tlsKeys: kinds.append("keys")
            case .packet: kinds.append("packet")
            default: break
            }
        }
        #expect(kinds == ["keys", "packet"])
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
