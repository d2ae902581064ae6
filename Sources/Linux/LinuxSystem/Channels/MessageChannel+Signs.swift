// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Single bytes as signs, instead of messages: a sign is a request, or a query whether the other process still works.
extension MessageChannel {
    /// The time limit for a reply.
    private static let patience = Duration.seconds(2)

    /// Sends a sign, without waiting; returns whether that was possible.
    @discardableResult
    package func sendSign() -> Bool {
        Glibc.send(descriptor, [0], 1, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)) == 1
    }

    /// Reads all pending signs, without waiting; returns whether there were any.
    package func receiveSign() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64)
        var hasReceived = false
        while recv(descriptor, &bytes, bytes.count, CInt(MSG_DONTWAIT)) > 0 { hasReceived = true }
        return hasReceived
    }

    /// Waits for a sign; returns false if the other end is gone, or a signal interrupts the wait.
    package func waitForSign() -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, 0) == 1
    }

    /// Sends a query sign and waits for a reply; returns true also if the other process has ended.
    package func isAnswered() -> Bool {
        // Discards a late reply to an earlier query.
        _ = receiveSign()
        sendSign()
        return Wait.untilReadable([descriptor], limit: Self.patience)
    }

    /// Waits until the other process has ended, or for `limit`.
    package func waitForEnd(limit: Duration) {
        _ = receiveSign()
        Wait.untilReadable([descriptor], limit: limit)
    }

    /// Replies to pending queries.
    package func answer() {
        if receiveSign() { sendSign() }
    }
}
