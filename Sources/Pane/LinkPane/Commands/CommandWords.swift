// SPDX-License-Identifier: Apache-2.0

/// The words of a command line, made from values that the page's user has typed.
///
/// They never pass a shell. A value that begins with "-" cannot become an option: it is written "--to=-x".
package struct CommandWords {
    private var words: [String]
    /// The profile, if its name would be read as an option; it stands after "--".
    private var last: String?

    /// - Parameter command: the subcommand's name.
    package init(_ command: String) { words = [command] }

    package var arguments: [String] { words + (last.map { ["--", $0] } ?? []) }

    /// Adds the argument without an option, unless it is nil.
    package mutating func add(_ value: String?) {
        guard let value else { return }
        if value.hasPrefix("-") { last = value } else { words.append(value) }
    }

    /// Adds an option with its value, unless that is nil.
    ///
    /// - Parameter short: the name to use where nothing has to be protected, such as "-i".
    package mutating func add(_ option: String, short: String? = nil, _ value: String?) {
        guard let value else { return }
        // "--to=" without a value would take the next word.
        words += value.hasPrefix("-") ? ["\(option)=\(value)"] : [short ?? option, value]
    }

    /// Adds the option once for each value.
    package mutating func add(_ option: String, _ values: [String]) {
        for value in values { add(option, value) }
    }

    /// Adds the option, which has no value, if it is on.
    package mutating func add(_ flag: String, if isOn: Bool) {
        if isOn { words.append(flag) }
    }
}
