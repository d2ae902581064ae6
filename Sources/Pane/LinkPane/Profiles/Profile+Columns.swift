// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension Profile {
    /// The figures of each lane as rows of a name and words, for a list in columns.
    var columns: JSON {
        func rows(_ rows: [(key: String, words: String)]) -> JSON {
            .list(rows.map { .list([$0.key.json, $0.words.json]) })
        }
        return JSON(
            ("downlink", rows(downlink?.columnRows ?? [])),
            ("uplink", rows(uplink?.columnRows ?? [])),
            ("dns", rows(dns.map { [("delay", "+ \($0.delay.text)")] } ?? []))
        )
    }

    /// The figures in the format of `--downlink`, for fields in which they are changed. A figure that cannot be written
    /// so is in words, below its name in "words".
    var fields: JSON {
        JSON(
            ("downlink", (downlink ?? Impairments()).fields),
            ("uplink", (uplink ?? Impairments()).fields),
            ("dns", JSON(("delay", .text(dns?.delay.text))))
        )
    }
}

extension Impairments {
    /// The order of the columns, which is that of NLC's pane: the figures that most profiles have come first.
    private static let order = ["rate", "trace", "delay", "jitter", "loss"]

    fileprivate var columnRows: [(key: String, words: String)] {
        let texts = texts
        let rows = wordsByKey.map { row in (key: row.key, words: texts[row.key] ?? row.words) }
        return Self.order.flatMap { key in rows.filter { $0.key == key } }
            + rows.filter { !Self.order.contains($0.key) }
    }

    /// The figures that `--downlink` accepts, by their keys.
    private var texts: [String: String] {
        let members = json.members.map { ($0.name, $0.value.figure) }
        return Dictionary(uniqueKeysWithValues: members.compactMap { name, text in text.map { (name, $0) } })
    }

    fileprivate var fields: JSON {
        let own = ["rate", "delay", "jitter", "loss", "queue"]
        let texts = texts
        let more = json.members.compactMap { member in
            own.contains(member.name) ? nil : texts[member.name].map { "\(member.name)=\($0)" }
        }
        let others = wordsByKey.filter { texts[$0.key] == nil }.map { ($0.key, Optional($0.words.json)) }
        return JSON(
            members: own.map { ($0, .text(texts[$0])) } + [
                ("more", more.isEmpty ? nil : more.joined(separator: ",").json),
                ("words", others.isEmpty ? nil : JSON(members: others)),
            ]
        )
    }
}

extension JSON {
    /// The value as `FigureList` reads it; nil for an object.
    fileprivate var figure: String? {
        switch value {
        case .string(let text): text
        case .bool(let bool): "\(bool)"
        default: nil
        }
    }
}
