// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@testable import PacketCapture

/// A TLS key log that grows while it is read.
struct KeyLogFollowerTests {
    private let files: TemporaryDirectory
    private let path: String

    init() throws {
        files = try TemporaryDirectory()
        path = try files.write("keys", "CLIENT_RANDOM older\n").path
    }

    private func add(_ text: String) throws {
        let handle = try #require(FileHandle(forWritingAtPath: path))
        defer { try? handle.close() }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
    }

    private func follower(_ body: (inout KeyLogFollower) throws -> Void) throws {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        var follower = KeyLogFollower(descriptor)
        try body(&follower)
    }

    @Test func givesOutWholeLinesThatCameSince() throws {
        try follower { follower in
            #expect(follower.newLines() == nil)
            try add("CLIENT_RANDOM a b\nCLIENT_")
            #expect(follower.newLines() == Array("CLIENT_RANDOM a b\n".utf8))
            #expect(follower.newLines() == nil)
            try add("RANDOM c d\n")
            #expect(follower.newLines() == Array("CLIENT_RANDOM c d\n".utf8))
        }
    }

    @Test func passesALineThatNeverEnds() throws {
        try follower { follower in
            try add(String(repeating: "x", count: 1 << 16))
            #expect(follower.newLines() == nil)
            try add("\nCLIENT_RANDOM e f\n")
            #expect(follower.newLines() == Array("\nCLIENT_RANDOM e f\n".utf8))
        }
    }
}
