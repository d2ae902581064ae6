// SPDX-License-Identifier: Apache-2.0

/// A command, and the options of its run.
package struct WrappedCommand: Sendable {
    /// Program and arguments as bytes, since they need not be valid text.
    let arguments: [[UInt8]]
    /// A function of this program that runs instead of `arguments`, in a child of the supervisor, and returns the exit
    /// status.
    let body: (@Sendable () -> CInt)?
    /// The user to run the command as; nil keeps the current user.
    package let account: Account?
    /// The time limit; nil means none.
    package var timeout: Duration?
    /// Whether to keep processes that the command leaves running.
    package var keepsChildren = false
    /// Whether the user wants notes that only explain a choice.
    package var isVerbose = false
    /// A monitor in the command's network; nil for none.
    package var monitor: MonitorTask?

    package init(_ arguments: [[UInt8]], account: Account?, timeout: Duration?) {
        (self.arguments, self.account, self.timeout, body) = (arguments, account, timeout, nil)
    }

    /// Makes a command of a function of this program. The function cannot use threads.
    package init(_ name: String, body: @escaping @Sendable () -> CInt) {
        (arguments, account, timeout, self.body) = ([Array(name.utf8)], nil, nil, body)
    }

    package var words: [String] { arguments.map { String(decoding: $0, as: UTF8.self) } }
}
