// SPDX-License-Identifier: Apache-2.0

/// A line of output, whose beginning may be bold.
struct OutputLine: Hashable, ExpressibleByStringInterpolation {
    /// The beginning that a terminal shows in bold.
    let heading: String
    /// The rest.
    let rest: String

    /// Makes a line of which `heading` is bold.
    init(heading: String, _ rest: String = "") {
        (self.heading, self.rest) = (heading, rest)
    }

    /// Makes a line without bold text.
    init(_ text: String) {
        self.init(heading: "", text)
    }

    init(stringLiteral text: String) {
        self.init(text)
    }

    /// The line without its formatting.
    var text: String { heading + rest }
}
