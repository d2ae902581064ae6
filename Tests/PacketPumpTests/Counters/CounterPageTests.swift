// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import Testing

@testable import PacketPump

/// Memory that another process shares is not trusted.
@Suite(.timeLimit(.minutes(10))) struct CounterPageTests {
    @Test func endsThoughItsWriterDiedWhileItWrote() throws {
        let page = try #require(CounterPage())
        let reader = try #require(CounterPage(descriptor: page.descriptor))
        let memory = try #require(lc_map_shared(page.descriptor, 8)).bindMemory(to: UInt64.self, capacity: 1)
        defer { lc_unreserve(memory, 8) }
        // Odd: the page is being written.
        memory[0] = 1
        #expect(reader.read() == CounterPage.Reading())
    }

    @Test func cannotBeMadeSmaller() throws {
        let page = try #require(CounterPage())
        #expect(ftruncate(page.descriptor, 0) == -1)
        #expect(errno == EPERM)
    }

    @Test func isNotReadWhereItCouldBeMadeSmaller() throws {
        let descriptor = lc_open_memory("not-sealed")
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        ftruncate(descriptor, 1 << 16)
        #expect(CounterPage(descriptor: descriptor) == nil)
    }
}
