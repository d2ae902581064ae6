// SPDX-License-Identifier: Apache-2.0

import Glibc

@testable import Sandboxing

/// A stream of bytes in which nearby pieces differ.
struct ByteStream {
    private static let period = 1_000_003
    private static let block: [UInt8] = {
        var state: UInt32 = 1
        let bytes = (0..<period).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
        // Twice, so that a piece of up to a period is in one place.
        return bytes + bytes
    }()

    let length: Int
    private(set) var sent = 0
    private(set) var received = 0
    private(set) var isIntact = true

    /// Whether all bytes have arrived.
    var isComplete: Bool { received == length && isIntact }

    /// Writes until the kernel accepts no more.
    mutating func send(over socket: TestSocket) throws {
        while sent < length {
            let start = sent % Self.period
            let count = min(length - sent, 65536)
            let taken = try Self.block.withUnsafeBytes {
                try socket.offer(UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
            }
            guard taken > 0 else { return }
            sent += taken
        }
    }

    /// Writes until the kernel has accepted nothing for a while, without a reader.
    mutating func fill(_ socket: TestSocket) throws {
        while sent < length, (try? socket.wait(POLLOUT, milliseconds: 300)) != nil { try send(over: socket) }
    }

    /// Reads to the end and compares.
    mutating func receiveToEnd(from socket: TestSocket) throws {
        while try receive(from: socket) {}
    }

    /// Reads once and compares.
    ///
    /// - Returns: whether it was not the end.
    private mutating func receive(from socket: TestSocket) throws -> Bool {
        let bytes = try socket.receive()
        let start = received % Self.period
        // Compared by the C library, since there are many and tests are not optimized.
        let isAlike = Self.block.withUnsafeBytes { whole in
            whole.baseAddress.map { memcmp($0 + start, bytes, bytes.count) == 0 } ?? false
        }
        isIntact = isIntact && isAlike
        received += bytes.count
        return !bytes.isEmpty
    }

    /// Sends and receives to the end.
    mutating func pass(from source: TestSocket, to sink: TestSocket) throws {
        repeat { try send(over: source) } while try received < length && receive(from: sink)
    }
}
