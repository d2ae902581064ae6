// SPDX-License-Identifier: Apache-2.0

import LinkProfiles

/// The value of an option that the shell has split at its space, as in `--delay 100 ms`.
///
/// The parser would take "ms" for a profile's name.
struct SplitFigure {
    let problem: String
    /// The command line that was meant.
    let remedy: String

    private static let figures = ["--delay": "delay", "--rate": "rate", "--loss": "loss"]
    private static let times: Set = ["--timeout", "--for", "--confirm", "--budget", "--wait"]

    /// - Parameter arguments: the arguments of the subcommand `name`.
    init?(_ name: CommandName, _ arguments: [String]) {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        let index = arguments[..<end].indices.dropLast(2).first { index in
            let (number, unit) = (arguments[index + 1], arguments[index + 2])
            return Double(number) != nil && unit.first.map { $0.isLetter || $0 == "%" } == true
                && Self.isValue("\(number) \(unit)", of: arguments[index])
        }
        guard let index else { return nil }
        let value = arguments[index + 1] + arguments[index + 2]
        problem = "\(arguments[index]) has one word: write \(value), or quote it"
        let meant = arguments[...index] + [value] + arguments[(index + 3)...]
        remedy = UnmarkedCommand.line([name.rawValue] + meant)
    }

    private static func isValue(_ text: String, of option: String) -> Bool {
        if times.contains(option) { return Duration(limit: text) != nil }
        guard let key = figures[option] else { return false }
        return (try? Profile(name: "figure").overriding([("downlink", "\(key)=\(text)")])) != nil
    }
}
