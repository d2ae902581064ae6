// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Programs of a library's user, which see the public interfaces only: Tests/LibraryUser.
@Suite
struct LibraryUserTests {
    private static let engines = Kernel.hasNetem ? ["netem", "userspace"] : ["userspace"]

    @Test(.enabled(if: PrivateLink.isAvailable, PrivateLink.need), arguments: engines)
    func conditionsAnInterface(engine: String) throws {
        try PrivateLink.check("library-user.py", "appliesAndRemoves('\(engine)')", program: LibraryUser.condition)
    }

    @Test(.enabled(if: PrivateLink.isAvailable, PrivateLink.need), arguments: engines)
    func leavesNothingWhenItIsKilled(engine: String) throws {
        try PrivateLink.check(
            "library-user.py",
            "leavesNothingWhenKilled('\(engine)', 10)",
            program: LibraryUser.condition
        )
    }

    @Test(arguments: ["stream", "handler", "shared", "query"])
    func tellsWhoCanBeReached(style: String) throws {
        // Not every user may ping.
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        try #require(listen(listener, 1) == 0)
        var (name, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        withUnsafeMutablePointer(to: &name) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
        }
        let port = UInt16(bigEndian: name.sin_port)
        for (target, state) in [("tcp://127.0.0.1:\(port)", "reachable"), ("tcp://127.0.0.1:1", "unreachable")] {
            let lines = try LibraryUser.watch([style, target])
            #expect(lines.allSatisfy { $0 == state } && !lines.isEmpty, "\(style) \(target): \(lines)")
        }
    }
}

private enum LibraryUser {
    static let condition = Package.built("library-user-condition")

    /// The words that the program which watches a target prints.
    static func watch(_ arguments: [String]) throws -> [Substring] {
        let result = try CommandResult(of: [Package.built("library-user-watch")] + arguments, limit: HangLimit.seconds)
        try result.requireSuccess()
        return result.output.split { $0 == " " || $0 == "\n" }
    }
}
