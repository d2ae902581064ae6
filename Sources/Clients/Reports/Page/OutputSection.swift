// SPDX-License-Identifier: Apache-2.0

/// The output of a command, as far as it is available.
struct OutputSection {
    let output: CommandOutput

    var element: Markup { PageParts.section("Output", output.parts.flatMap(Self.elements)) }

    private static func elements(_ part: CommandOutput.Part) -> [Markup] {
        var sentence = [Markup("span", text: "\(part.sentence). ")]
        if let path = part.path {
            let name = PageParts.name(path)
            // Only a file in the report's directory gets a link, relative to the page.
            sentence.append(path.contains("/") ? name : Markup("a", ["href": path.percentEncoded], [name]))
        }
        guard let tail = part.tail, !tail.lines.isEmpty else { return [Markup("p", sentence)] }
        return [Markup("p", sentence), Markup("pre", [Markup("code", text: tail.lines.joined(separator: "\n"))])]
    }
}
