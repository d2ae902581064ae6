// SPDX-License-Identifier: Apache-2.0

/// A command, and the options of its run.
package struct WrappedCommand: Sendable {
    /// Program and arguments as bytes, since they need not be valid text.
    let arguments: [[UInt8]]
    /// The user to run it as; nil keeps the current user.
    package let account: Account?
    /// The time limit; nil means none.
    package var timeout: Duration?
    /// Whether processes that it leaves running are kept.
    package var keepsChildren = false
    /// A monitor in the command's network; nil for none.
    package var monitor: MonitorTask?

    package init(_ arguments: [[UInt8]], account: Account?, timeout: Duration?) {
        (self.arguments, self.account, self.timeout) = (arguments, account, timeout)
    }

    package var words: [String] { arguments.map { String(decoding: $0, as: UTF8.self) } }
}
