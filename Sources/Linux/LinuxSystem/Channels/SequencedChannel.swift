// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// One end of a SOCK_SEQPACKET connection between two processes of this program: the kernel keeps messages separate,
/// and delivers each as a whole or not at all, with its descriptor if it has one. For messages of some kilobytes, from
/// a process that may be killed at any moment or must not wait; ``MessageChannel`` carries longer messages.
package struct SequencedChannel: DescriptorHolder, Sendable {
    /// Readable when a message is waiting or the other end is closed.
    package let descriptor: CInt

    package var descriptors: [CInt] { [descriptor] }

    /// The result of `receive`.
    package struct Reception {
        /// The number of bytes received; 0 after the other end was closed; a negative errno on failure.
        package let count: Int
        /// The descriptor that came with the message, which the caller then owns; -1 for none.
        package let descriptor: CInt

        /// Whether no message is waiting, on a channel that does not wait.
        package var isNothingYet: Bool { count == -Int(EAGAIN) }
    }

    private init(descriptor: CInt) { self.descriptor = descriptor }

    /// Makes a connection; returns its two ends.
    package static func pair() throws(SystemError) -> (SequencedChannel, SequencedChannel) {
        let ends = try Descriptors.socketPair(SOCK_SEQPACKET)
        return (SequencedChannel(descriptor: ends.0), SequencedChannel(descriptor: ends.1))
    }

    /// Makes calls at this end fail with EAGAIN instead of waiting.
    package func stopWaiting() { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }

    /// Sends a message, and the descriptor `other` unless that is negative.
    ///
    /// - Returns: 0, or a negative errno.
    @discardableResult
    package func send(_ message: UnsafeRawBufferPointer, with other: CInt = -1) -> CInt {
        lc_send_message(descriptor, message.baseAddress, UInt(message.count), other)
    }

    /// Sends a message, and the descriptor `other` unless that is negative.
    @discardableResult
    package func send(_ message: [UInt8], with other: CInt = -1) -> CInt {
        message.withUnsafeBytes { send($0, with: other) }
    }

    /// Receives a message. Bytes that do not fit into `room` are lost.
    package func receive(into room: UnsafeMutableRawBufferPointer) -> Reception {
        var other: CInt = -1
        let count = lc_receive_message(descriptor, room.baseAddress, UInt(room.count), &other)
        return Reception(count: count, descriptor: other)
    }

    /// Ends the connection, although copies of this end may be open in other processes.
    package func end() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    package func close() { Glibc.close(descriptor) }
}
