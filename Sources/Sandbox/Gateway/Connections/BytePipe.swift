// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// A pipe that moves bytes from one socket to another without copying them: splice(2).
struct BytePipe {
    /// The number of bytes that an empty pipe always accepts in one write: a page.
    static let surelyWritten = 4096

    let reading: CInt
    let writing: CInt
    /// The number of bytes in the pipe.
    var held = 0

    func close() {
        Glibc.close(reading)
        Glibc.close(writing)
    }
}

/// Empty pipes, kept for reuse by all connections: a user's pipes beyond the first 1,024 have room for two pages only
/// (pipe(7)).
struct PipePool {
    private static let maximum = 64
    private var idle: [BytePipe] = []

    /// Returns an idle pipe, or makes one; nil if the kernel gives no descriptor.
    mutating func next() -> BytePipe? {
        if let pipe = idle.popLast() {
            precondition(pipe.held == 0, "another connection's bytes are in the pipe")
            return pipe
        }
        var ends: [CInt] = [-1, -1]
        guard lc_make_pipe(&ends) == 0 else { return nil }
        return BytePipe(reading: ends[0], writing: ends[1])
    }

    mutating func giveBack(_ pipe: BytePipe) {
        guard pipe.held == 0, idle.count < Self.maximum else { return pipe.close() }
        idle.append(pipe)
    }

    func close() { for pipe in idle { pipe.close() } }
}
