// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import LinuxSystem
import Testing

@testable import SocketServing

@Suite final class StreamConnectionTests {
    private let loop: EventLoop
    private let record: LoopRecord<StreamEvent>
    private let pair: SocketPair
    private let connection: LoopBound<StreamConnection>

    init() throws {
        loop = try EventLoop.start()
        record = try LoopRecord()
        pair = try SocketPair()
        connection = try loop.perform { [loop, pair, record] in
            // The descriptor is watched, as it can be.
            guard let connection = try? StreamConnection(pair.served, on: loop, receiver: Recorder(record)) else {
                fatalError("a socket is not watched")
            }
            return LoopBound(connection, on: loop)
        }
    }

    deinit { loop.stop() }

    private func perform<Value: Sendable>(
        _ body: @escaping @Sendable (StreamConnection) -> Value
    ) throws -> Value {
        try loop.perform { [connection] in body(connection.value) }
    }

    @Test func receivesOnlyWhileItReads() throws {
        try pair.send("one")
        try perform { _ in }
        #expect(record.all.isEmpty)
        try perform { $0.isReading = true }
        #expect(try record.first(1) == [.bytes("one")])
        try perform { $0.isReading = false }
        try pair.send("two")
        try perform { _ in }
        #expect(record.all.count == 1)
        try perform { $0.isReading = true }
        #expect(try record.first(2).last == .bytes("two"))
    }

    @Test func tellsWhenItMayBeWrittenAgain() throws {
        let bytes = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 >> 3) }
        #expect(
            try perform {
                $0.write(bytes)
                return !$0.isWritable
            }
        )
        #expect(record.all.isEmpty)
        #expect(try pair.receive(bytes.count) == bytes)
        #expect(try record.first(1) == [.drained])
        #expect(try perform { $0.isWritable })
        // What the kernel accepts at once needs no word, unless that is asked for.
        try perform { $0.write("x") }
        try perform { _ in }
        #expect(record.all == [.drained])
        try perform { $0.tellWhenDrained() }
        #expect(try record.first(2) == [.drained, .drained])
    }

    @Test func sendsItsEndAfterWhatIsQueued() throws {
        let bytes = [UInt8](repeating: 7, count: 1_000_000)
        try perform {
            $0.write(bytes)
            $0.endOutput()
            $0.write("too late")
        }
        #expect(try pair.receiveToEnd() == bytes)
        try perform { $0.isReading = true }
        try pair.send("still open")
        #expect(try record.first(1) == [.bytes("still open")])
        pair.endOutput()
        #expect(try record.first(3) == [.bytes("still open"), .end, .closed(nil)])
    }

    @Test func sendsAfterTheOthersEnd() throws {
        try perform { $0.isReading = true }
        pair.endOutput()
        #expect(try record.first(1) == [.end])
        try perform { $0.write("answer") }
        #expect(try pair.receive() == Array("answer".utf8))
        try perform { $0.endOutput() }
        #expect(try record.first(2) == [.end, .closed(nil)])
        #expect(try pair.receive().isEmpty)
    }

    @Test func closesWhenAllIsWritten() throws {
        let bytes = [UInt8](repeating: 7, count: 1_000_000)
        try perform {
            $0.write(bytes)
            $0.closeWhenDrained()
        }
        #expect(record.all.isEmpty)
        #expect(try pair.receiveToEnd() == bytes)
        #expect(try record.first(1) == [.closed(nil)])
    }

    /// A writer is in the middle of something.
    @Test func reportsAFailedWriteLater() throws {
        try perform { $0.isReading = false }
        shutdown(pair.client, CInt(SHUT_RD))
        let hasStayedOpen = try perform {
            $0.write("x")
            return $0.isOpen
        }
        #expect(hasStayedOpen)
        #expect(try record.first(1) == [.closed(EPIPE)])
        #expect(try perform { !$0.isOpen && !$0.isWritable })
    }

    /// A connection that has ended both ways is reported by the kernel for as long as it is watched.
    @Test func waitsForItsReaderWithoutTurns() throws {
        try pair.send("last words")
        shutdown(pair.client, CInt(SHUT_RDWR))
        try perform { _ in }
        let start = try perform { _ in ThreadClock.now }
        usleep(200_000)
        // A loop that turns uses all of the time that it gets.
        let used = try perform { _ in ThreadClock.now } - start
        #expect(used < 20_000_000, "\(used) ns of a processor")
        try perform { $0.isReading = true }
        #expect(try record.first(3) == [.bytes("last words"), .end, .closed(ECONNRESET)])
    }

    @Test func closesOnceAndDropsWhatFollows() throws {
        try perform {
            $0.close()
            $0.close()
            $0.write("x")
            $0.endOutput()
            $0.isReading = true
            $0.tellWhenDrained()
            $0.reset()
        }
        #expect(record.all == [.closed(nil)])
        #expect(try pair.receive().isEmpty)
    }

    @Test func acceptsConnectionsUntilItIsClosed() throws {
        let accepted = try LoopRecord<CInt>()
        var address = lc_address()
        (address.length, address.bytes.0, address.bytes.3) = (4, 127, 1)
        let socket = try ListeningSocket.bound(to: address)
        #expect(listen(socket, 64) == 0)
        try checked(lc_local_address(socket, &address), "read the port")
        let listener = try loop.perform { [loop] in
            LoopBound(try? StreamListener(socket, on: loop) { accepted.add($0) }, on: loop)
        }
        let clients = try (0..<40).map { _ in try Self.connected(address) }
        let served = try accepted.first(40)
        #expect(Set(served).count == 40)
        #expect(served.allSatisfy { fcntl($0, F_GETFD) == FD_CLOEXEC })
        for descriptor in served + clients { close(descriptor) }
        try loop.perform { listener.value?.close() }
        #expect(throws: SystemError.self) { try Self.connected(address) }
    }

    private static func connected(_ address: lc_address) throws(SystemError) -> CInt {
        let descriptor = try checked(socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0), "make a socket")
        var address = address
        do {
            try checked(lc_connect(descriptor, &address), "connect")
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }
}

/// What happened to a connection.
private enum StreamEvent: Equatable, Sendable {
    case bytes(String)
    case end
    case drained
    case closed(CInt?)
}

private final class Recorder: StreamReceiver {
    private let record: LoopRecord<StreamEvent>

    init(_ record: LoopRecord<StreamEvent>) { self.record = record }

    func receive(_ bytes: UnsafeRawBufferPointer, from connection: StreamConnection) {
        record.add(.bytes(String(decoding: bytes, as: UTF8.self)))
    }

    func inputHasEnded(of connection: StreamConnection) { record.add(.end) }

    func outputHasDrained(of connection: StreamConnection) { record.add(.drained) }

    func hasClosed(_ connection: StreamConnection, error: CInt?) { record.add(.closed(error)) }
}

extension StreamConnection {
    fileprivate func write(_ text: String) { write(Array(text.utf8)) }
}
