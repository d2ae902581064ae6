// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// Code in a child that the tests' process forks.
enum ForkedTrial {
    /// How long a child may take, in seconds: it has next to nothing to do.
    private static let limit: UInt32 = 60

    /// Runs `body` in a child, and says how that ended; nil if it is no child any more.
    ///
    /// A process of tests has several threads. A lock that one of them holds while the child is made stays locked in the child,
    /// which then waits for ever: another child is made, three at most.
    static func end(_ body: () -> Never) throws -> ChildStatus? {
        var end: ChildStatus?
        for _ in 0..<3 {
            let process = try Fork.child {
                alarm(limit)
                body()
            }
            end = ChildStatus.wait(for: process)
            if end != .killed(SIGALRM) { break }
        }
        return end
    }
}
