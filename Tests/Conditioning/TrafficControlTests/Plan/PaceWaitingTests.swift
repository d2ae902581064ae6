// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization
import Testing

@testable import TrafficControl

/// Waiting for something that the kernel does meanwhile.
@Suite struct PaceWaitingTests {
    private final class Clock: Sendable {
        private let time = Mutex(Duration.zero)

        var pace: Pace { Pace(now: { self.time.withLock { $0 } }, sleep: { self.pass($0) }) }

        func pass(_ duration: Duration) { time.withLock { $0 += duration } }
    }

    /// A lane drains while the process that waits for it has no processor: its packets must not be given up.
    @Test func looksAgainIfALookLastedPastTheDeadline() {
        let clock = Clock()
        var looks = 0
        let isTrue = clock.pace.waits(until: .seconds(1)) {
            looks += 1
            clock.pass(.seconds(5))
            return looks == 2
        }
        #expect(isTrue && looks == 2)
    }

    @Test func givesUpAfterTheDeadline() {
        let clock = Clock()
        var looks = 0
        let isTrue = clock.pace.waits(until: .seconds(1)) {
            looks += 1
            return false
        }
        #expect(!isTrue && looks > 40 && clock.pace.now() < .seconds(2))
    }
}
