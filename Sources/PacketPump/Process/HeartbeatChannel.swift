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
        _ = channel.receiveSign()
        channel.sendSign()
        return Wait.untilReadable([descriptor], limit: Self.patience)
    }

    /// Waits until the other process has ended, or for `limit`.
    package func waitForEnd(limit: Duration) {
        _ = channel.receiveSign()
        Wait.untilReadable([descriptor], limit: limit)
    }

    /// Answers the questions that have arrived.
    package func answer() {
        if channel.receiveSign() { channel.sendSign() }
    }

    /// Closes this end.
    package func close() { channel.close() }
}
