// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Single bytes without a meaning, instead of messages: a request, or a question whether the other process still works.
extension MessageChannel {
    /// The longest wait for an answer.
    private static let patience = Duration.seconds(2)

    /// Sends a sign, without waiting; whether that was possible.
    @discardableResult
    package func sendSign() -> Bool {
        Glibc.send(descriptor, [0], 1, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)) == 1
    }

    /// Reads all signs that have arrived, without waiting; whether there were any.
    package func receiveSign() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64)
        var hasReceived = false
        while recv(descriptor, &bytes, bytes.count, CInt(MSG_DONTWAIT)) > 0 { hasReceived = true }
        return hasReceived
    }

    /// Waits for a sign; false if the other end is gone, or a signal interrupts the wait.
    package func waitForSign() -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, 0) == 1
    }

    /// Asks the other process, and waits for an answer; true also if that has ended.
    package func isAnswered() -> Bool {
        // A late answer to an earlier question.
        _ = receiveSign()
        sendSign()
        return Wait.untilReadable([descriptor], limit: Self.patience)
    }

    /// Waits until the other process has ended, or for `limit`.
    package func waitForEnd(limit: Duration) {
        _ = receiveSign()
        Wait.untilReadable([descriptor], limit: limit)
    }

    /// Answers the questions that have arrived.
    package func answer() {
        if receiveSign() { sendSign() }
    }
}
