// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// One end of a connection over which a process asks another whether it still works, in bytes without a meaning.
package struct HeartbeatChannel: Sendable {
    private let channel: PumpChannel

    /// The longest wait for an answer.
    private static let patience = Duration.seconds(2)

    /// Makes a connection; returns its two ends, or nil if there are no descriptors.
    package static func pair() -> (HeartbeatChannel, HeartbeatChannel)? {
        PumpChannel.pair().map { (HeartbeatChannel(channel: $0), HeartbeatChannel(channel: $1)) }
    }

    /// Readable when a byte is waiting or the other end is closed.
    package var descriptor: CInt { channel.descriptor }

    /// Whether the other process has ended.
    package var isClosed: Bool { channel.isAbandoned }

    /// Waits for an answer of the other process; true also if it has ended.
    package func isAnswered() -> Bool {
        // A late answer to an earlier question.
        discard()
        send()
        return Wait.untilReadable([descriptor], limit: Self.patience)
    }

    /// Waits until the other process has ended, or for `limit`.
    package func waitForEnd(limit: Duration) {
        discard()
        Wait.untilReadable([descriptor], limit: limit)
    }

    /// Answers the questions that have arrived.
    package func answer() {
        if discard() { send() }
    }

    /// Closes this end.
    package func close() { channel.close() }

    /// Sends a byte; none if the other process does not read and enough are waiting.
    private func send() {
        _ = Glibc.send(descriptor, [0], 1, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
    }

    /// Reads all bytes that are waiting; returns whether there were any.
    @discardableResult
    private func discard() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64)
        var hasRead = false
        while recv(descriptor, &bytes, bytes.count, CInt(MSG_DONTWAIT)) > 0 { hasRead = true }
        return hasRead
    }
}
