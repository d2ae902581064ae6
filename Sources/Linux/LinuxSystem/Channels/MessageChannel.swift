// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// One end of a connection between two processes of this program: messages of bytes, each preceded by its length, and
/// descriptors. The connection ends with the process at the other end.
package struct MessageChannel: DescriptorHolder, Sendable {
    /// Readable when a message is waiting or the other end is closed.
    package let descriptor: CInt

    package var descriptors: [CInt] { [descriptor] }

    /// The longest message in bytes that is accepted.
    package static let longest = 256 << 20

    package init(descriptor: CInt) { self.descriptor = descriptor }

    /// Makes a connection; returns its two ends.
    package static func pair() throws(SystemError) -> (MessageChannel, MessageChannel) {
        let ends = try Descriptors.socketPair(SOCK_STREAM)
        return (MessageChannel(descriptor: ends.0), MessageChannel(descriptor: ends.1))
    }

    /// Accepts a connection; nil if the client is gone or not trusted.
    package static func accept(from listener: CInt) -> MessageChannel? {
        let descriptor = lc_accept(listener)
        return descriptor < 0 ? nil : MessageChannel(trusting: descriptor)
    }

    /// Takes ownership of an end of a connection, passed on by the process that has the other end.
    package init(passed descriptor: CInt) {
        self.descriptor = descriptor
        limitWaits(seconds: 2)
    }

    /// Takes ownership of a connected socket; nil if the process at the other end belongs neither to root nor to this
    /// user. Limits waits, in case that process is stopped.
    package init?(trusting descriptor: CInt) {
        guard [0, geteuid()].contains(lc_peer(descriptor).user) else {
            Glibc.close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        limitWaits(seconds: 2)
    }

    /// Limits the time of each send and receive at this end.
    package func limitWaits(seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Whether the other end is closed, and everything sent from it has been received.
    package var isAbandoned: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) == 0
    }

    /// Sends a message. Does nothing if the other end is gone.
    package func send(message: [UInt8]) {
        var rest = ArraySlice(withUnsafeBytes(of: UInt32(message.count)) { Array($0) } + message)
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for a message; nil if the other end is gone or the message is too long.
    package func receiveMessage() -> [UInt8]? {
        guard let head = read(4) else { return nil }
        let length = Int(head.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
        guard length <= Self.longest else { return nil }
        return read(length)
    }

    /// Sends a descriptor.
    ///
    /// - Returns: 0, or a negative errno.
    @discardableResult
    package func send(descriptor other: CInt) -> CInt { lc_send_descriptor(descriptor, other) }

    /// Waits for a descriptor; nil if the other end is gone.
    package func receiveDescriptor() -> CInt? {
        let received = lc_receive_descriptor(descriptor)
        return received < 0 ? nil : received
    }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let more = bytes.withUnsafeMutableBytes {
                Glibc.recv(descriptor, $0.baseAddress.map { $0 + filled }, count - filled, 0)
            }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { return nil }
            filled += more
        }
        return bytes
    }

    /// Shuts down sending; the other end can still send.
    package func endSending() { shutdown(descriptor, CInt(SHUT_WR)) }

    /// Ends the connection, although copies of this end may be open in other processes.
    package func end() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    package func close() { Glibc.close(descriptor) }
}
