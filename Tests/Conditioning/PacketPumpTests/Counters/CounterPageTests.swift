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
        page.beginWriting()
        #expect(reader.read() == CounterPage.Reading())
    }

    /// Linux 5.1.
    @Test func isWrittenByThePumpAlone() throws {
        let page = try #require(CounterPage())
        #expect(mmap(nil, 8, PROT_READ | PROT_WRITE, MAP_SHARED, page.descriptor, 0) == MAP_FAILED)
        #expect(errno == EPERM)
        #expect(pwrite(page.descriptor, [1], 1, 0) == -1)
        #expect(CounterPage(descriptor: page.descriptor)?.read() == CounterPage.Reading())
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
