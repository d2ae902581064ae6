// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Probing

@Suite struct UnixConnectTests {
    /// A unix socket of a type, listening, in a folder that goes with it.
    private final class Service {
        let path = FileManager.default.temporaryDirectory.appending(path: "u\(UInt32.random(in: 0...UInt32.max))").path
        private var descriptor: Int32

        init(_ type: UInt32, backlog: Int32 = 8) throws {
            descriptor = socket(AF_UNIX, Int32(type), 0)
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            let result = withUnsafePointer(to: &name) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
            }
            try #require(result == 0)
            if type != SOCK_DGRAM.rawValue { try #require(listen(descriptor, backlog) == 0) }
        }

        /// Once: a number closed twice may by then be another test's descriptor.
        func stop() {
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }

        deinit {
            stop()
            unlink(path)
        }
    }

    @Test(arguments: [SOCK_STREAM.rawValue, SOCK_SEQPACKET.rawValue, SOCK_DGRAM.rawValue])
    func connectsToSocketsOfEveryType(_ type: UInt32) async throws {
        let service = try Service(type)
        #expect(await ProbeLoop().ask(.unix(path: service.path)).answerTime != nil)
    }

    @Test func tellsAMissingSocketFromOneWithoutAService() async throws {
        let loop = ProbeLoop()
        #expect(await loop.ask(.unix(path: "/nowhere/at/all")).finding == .impossible(.socketMissing))
        #expect(await loop.ask(.unix(path: String(repeating: "x", count: 300))).finding == .impossible(.socketMissing))
        let service = try Service(SOCK_STREAM.rawValue)
        let copy = service.path + "l"
        try #require(link(service.path, copy) == 0)
        defer { unlink(copy) }
        service.stop()
        #expect(await loop.ask(.unix(path: copy)).finding == .failed(.refused))
    }

    @Test func waitsForAServiceThatTakesNoConnections() async throws {
        let service = try Service(SOCK_STREAM.rawValue, backlog: 0)
        let loop = ProbeLoop()
        let held = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(held) }
        let path = service.path
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(held, $0, size) }
        }
        try #require(result == 0)
        let observation = await loop.ask(.unix(path: path), timeout: .milliseconds(200))
        #expect(observation.finding == .failed(.backlogFull))
    }

    @Test func takesAFolderItMayNotEnterForItsOwnTrouble() {
        #expect(KernelAnswer.unixSocket(EACCES, after: .zero) == .nothing(.permission))
    }
}
