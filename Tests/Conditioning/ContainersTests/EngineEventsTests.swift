// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import SocketServing
import Synchronization
import TestKit
import Testing

@testable import Containers

/// The stream in which an engine tells of containers.
@Suite struct EngineEventsTests {
    /// It must not keep its reader from the signals that end it.
    @Test(.timeLimit(.minutes(5))) func anEngineThatNeverStopsDoesNotKeepItsReader() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/engine.sock"
        let listener = try ListeningSocket.bound(to: path)
        try #require(listen(listener, 1) == 0)
        let isOver = Atomic(false)
        let engine = try PosixThread.start {
            let client = accept(listener, nil, nil)
            let flood = [UInt8](repeating: 10, count: 65_536)
            while !isOver.load(ordering: .relaxed), send(client, flood, flood.count, CInt(MSG_NOSIGNAL)) > 0 {}
            close(client)
        }
        let events = try EngineEvents(at: path, limit: 10)
        for _ in 0..<100 {
            Wait.untilReadable([events.descriptor])
            #expect(events.receive())
        }
        isOver.store(true, ordering: .relaxed)
        events.close()
        engine.join()
        close(listener)
    }
}
