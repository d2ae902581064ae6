// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// A package outside the repository that depends on its products by path: Tests/LibraryUser.
@Suite(.enabled(if: LibraryUser.folder != nil, "needs LINKCOND_LIBRARY_USER; scripts/test builds it"))
struct LibraryUserTests {
    private static let engines = Kernel.hasNetem ? ["netem", "userspace"] : ["userspace"]

    @Test(.enabled(if: PrivateLink.isAvailable, PrivateLink.need), arguments: engines)
    func conditionsAnInterface(engine: String) throws {
        try PrivateLink.check("library-user.py", "appliesAndRemoves('\(engine)')")
    }

    @Test(.enabled(if: PrivateLink.isAvailable, PrivateLink.need), arguments: engines)
    func leavesNothingWhenItIsKilled(engine: String) throws {
        try PrivateLink.check("library-user.py", "leavesNothingWhenKilled('\(engine)', 10)", limit: 150)
    }

    @Test(arguments: ["stream", "handler", "shared", "query"])
    func tellsWhoCanBeReached(style: String) throws {
        for (target, state) in [("icmp://127.0.0.1", "reachable"), ("tcp://127.0.0.1:1", "unreachable")] {
            let lines = try LibraryUser.watch([style, target])
            #expect(lines.allSatisfy { $0 == state } && !lines.isEmpty, "\(style) \(target): \(lines)")
        }
    }
}

/// The programs that scripts/testing/library-user made.
private enum LibraryUser {
    static let folder = ProcessInfo.processInfo.environment["LINKCOND_LIBRARY_USER"]

    /// The words that the program which watches a target prints.
    static func watch(_ arguments: [String]) throws -> [Substring] {
        let result = try CommandResult(of: ["\(folder ?? "")/bin/watch"] + arguments, limit: 40)
        try result.requireSuccess()
        return result.output.split { $0 == " " || $0 == "\n" }
    }
}
