// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinuxSystem

/// The text of `GET /v1/live`, renewed while a client waits for it. Used on the worker thread only.
///
/// Its members "number" and "time" are added here: the number grows whenever the rest has changed.
package final class LiveText {
    private let renew: () -> [UInt8]
    private var text: [UInt8] = []
    private var number = 0

    /// - Parameter renew: makes the text of a JSON object, `{"interfaces":...}`, without "number" and "time", which
    ///   would make each text differ from the one before. It may read the kernel and wait for the pump, and is called at
    ///   most 10 times a second; what a client does not need that often, it keeps.
    package init(renew: @escaping () -> [UInt8]) { self.renew = renew }

    /// A text with its number.
    struct Version: Sendable {
        let number: Int
        let text: [UInt8]
        /// The time that its renewal had of a processor.
        var cost = Duration.zero
    }

    /// Reads the present state.
    func next() -> Version {
        let before = ThreadClock.now
        let time = Double(lc_wall_time() / 1_000_000) / 1000
        let new = renew()
        precondition(new.first == UInt8(ascii: "{"), "the live text is an object")
        if new != text { (text, number) = (new, number + 1) }
        let members = new.dropFirst()
        let comma = members.first == UInt8(ascii: "}") ? "" : ","
        let text = Array("{\"number\":\(number),\"time\":\(time)\(comma)".utf8) + members
        return Version(number: number, text: text, cost: .nanoseconds(ThreadClock.now - before))
    }
}
