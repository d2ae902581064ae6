// SPDX-License-Identifier: Apache-2.0

/// Messages of the parser, and of `ValidationError`, in the form of this program's messages.
struct ParserMessage {
    /// Words of the parser that this program says otherwise.
    private static let replacements = [
        (". Did you mean", "; did you mean"), (". Please provide one of", "; expected one of"),
        ("Missing expected argument", "Missing"),
    ]

    /// The message without the capital letter at its start and the period at its end.
    let text: String

    init(_ message: String) {
        var text = Self.replacements.reduce(HelpText.bare(message)) { $0.replacing($1.0, with: $1.1) }
        if text.last == "." { text.removeLast() }
        if let first = text.first, text.dropFirst().first?.isLowercase == true {
            text = first.lowercased() + text.dropFirst()
        }
        self.text = text
    }

    /// What to type instead: an example if something is missing, else the request for help.
    func remedy(_ name: CommandName?) -> String {
        guard let name else { return "linkcond -h" }
        let example = text.hasPrefix("missing") ? HelpText.examples(of: name).first : nil
        return example ?? "linkcond \(name.rawValue) -h"
    }
}
