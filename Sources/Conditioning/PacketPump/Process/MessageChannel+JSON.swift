// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
package import LinuxSystem

extension MessageChannel {
    /// Sends a message. Does nothing if the other end is gone.
    package func send(_ json: JSON) { send(message: Array(json.text.utf8)) }

    /// Waits for a message; nil if the other end is gone or the message is invalid.
    package func receive() -> JSON? { receiveMessage().flatMap { try? JSON(utf8: $0) } }
}
