// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// A connection to a stream socket of another process: unix(7).
package struct UnixConnection {
    package let descriptor: CInt
    private let operation: String
    /// The deadline by `BootClock`; nil for none.
    private let deadline: Duration?

    /// Connects to the socket at `path`.
    ///
    /// - Parameter limit: the time limit for all operations on the connection, in whole seconds; nil for none.
    package init(to path: String, limit: Int? = nil) throws(SystemError) {
        operation = "reach \(path)"
        deadline = limit.map { BootClock.now + .seconds($0) }
        descriptor = try checked(socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | O_CLOEXEC, 0), operation)
        do {
            if let limit {
                // Also limits connect(2), which waits while the listening socket's queue is full.
                var time = timeval(tv_sec: limit, tv_usec: 0)
                let size = socklen_t(MemoryLayout<timeval>.size)
                try checked(setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, size), operation)
            }
            try checked(lc_connect_path(descriptor, path), operation)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    package func close() { Glibc.close(descriptor) }

    /// The listening process, by its ID in this PID namespace; nil if it is not visible here.
    package var server: Int32? {
        let process = lc_peer(descriptor).process
        return process > 0 ? process : nil
    }

    /// Sends bytes; stops silently if the other end no longer receives them.
    package func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// Reads until the other end closes.
    ///
    /// - Throws: ETIMEDOUT after the connection's time limit, EFBIG if there are more than `longest` bytes.
    package func readToEnd(longest: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16384)
        while true {
            if let deadline {
                let left = deadline - BootClock.now
                guard left > .zero, Wait.untilReadable([descriptor], limit: left) else {
                    throw SystemError(operation: operation, code: ETIMEDOUT)
                }
            }
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= longest else { throw SystemError(operation: operation, code: EFBIG) }
        }
    }
}
