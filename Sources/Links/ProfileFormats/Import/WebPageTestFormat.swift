// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Reads WebPageTest's connectivity.ini: a section for each link, rates in bit/s, round trips in ms, shares in percent.
enum WebPageTestFormat {
    private struct Section {
        let name: String
        var fields: [(key: String, field: Field)] = []

        subscript(key: String) -> Field? { fields.first { $0.key == key }?.field }
    }

    static func read(_ context: ImportContext) throws(ImportError) -> ImportedDraft {
        let sections = try sections(of: context.text).filter { $0["bwIn"] != nil || $0["bwOut"] != nil }
        guard !sections.isEmpty else { throw .invalid(location: "", reason: "no section with \"bwIn\" or \"bwOut\"") }
        let choice = try context.choice(of: sections.map { (name: $0.name, link: $0) })
        return try draft(of: choice.link)
    }

    private static func draft(of section: Section) throws(ImportError) -> ImportedDraft {
        var draft = ImportedDraft(name: section.name)
        draft.summary = section["label"]?.text
        let delay = try section["latency"]?.halfOfRoundTrip()
        let loss = try section["plr"]?.share()
        for (key, direction) in [("bwIn", \ImportedDraft.downlink), ("bwOut", \.uplink)] {
            draft[keyPath: direction].rate = try section[key]?.rate(["": 1])
            draft[keyPath: direction].delay = delay
            draft[keyPath: direction].loss = loss.map(LossModel.random)
        }
        if delay != nil { draft.remark("latency is a round trip: half of it is the delay of each direction") }
        for (key, field) in section.fields where !["label", "bwIn", "bwOut", "latency", "plr"].contains(key) {
            draft.leaveOut(
                "\(field.location)",
                key == "timeout" ? "it is of WebPageTest's own runs" : "linkcond does not know it"
            )
        }
        return draft
    }

    private static func sections(of text: String) throws(ImportError) -> [Section] {
        var sections: [Section] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmingSpace()
            if line.isEmpty || line.first == ";" || line.first == "#" { continue }
            let location = "line \(index + 1)"
            if line.first == "[" {
                let name = line.dropFirst().prefix { $0 != "]" }.trimmingSpace()
                guard line.contains("]"), !name.isEmpty else {
                    throw .invalid(location: location, reason: "a section without a name")
                }
                guard !sections.contains(where: { $0.name == name }) else {
                    throw .invalid(location: location, reason: "a second section [\(name)]")
                }
                sections.append(Section(name: name))
                continue
            }
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingSpace() }
            guard parts.count == 2, !sections.isEmpty else {
                throw .invalid(
                    location: location,
                    reason: "found \(JSON.quoted(String(line.prefix(40)))); expected KEY=VALUE in a section"
                )
            }
            let last = sections.count - 1
            guard sections[last][parts[0]] == nil else {
                throw .invalid(
                    location: location,
                    reason: "\(JSON.quoted(parts[0])) is given twice in [\(sections[last].name)]"
                )
            }
            sections[last].fields.append(
                (parts[0], Field(value(parts[1]), at: "\(location): [\(sections[last].name)] \(parts[0])"))
            )
        }
        return sections
    }

    /// The value of a line, without quotation marks or a trailing comment.
    private static func value(_ text: String) -> String {
        if text.first == "\"", let end = text.dropFirst().firstIndex(of: "\"") {
            return String(text[text.index(after: text.startIndex)..<end])
        }
        return text.prefix { $0 != ";" }.trimmingSpace()
    }
}
