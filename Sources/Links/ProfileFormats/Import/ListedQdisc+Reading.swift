// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension ListedQdisc.Units {
    /// The units in tc's text output, where each figure has a unit. Prefixes of sizes are powers of 1024.
    static let text = ListedQdisc.Units(
        time: ["s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9],
        share: ["%": 0.01],
        rate: [
            "bit": 1, "Kbit": 1e3, "Mbit": 1e6, "Gbit": 1e9, "Tbit": 1e12, "bps": 8, "Kbps": 8e3, "Mbps": 8e6,
            "Gbps": 8e9,
        ],
        size: ["b": 1, "Kb": 1024, "Mb": 1_048_576, "Gb": 1_073_741_824],
        wait: ["s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9]
    )
    /// The units in tc's JSON output: seconds, fractions and bytes, and microseconds for `wait`.
    static let json = ListedQdisc.Units(time: ["": 1], share: ["": 1], rate: ["": 8], size: ["": 1], wait: ["": 1e-6])
}

extension ListedQdisc {
    /// The keywords that precede figures.
    private static let keywords: Set = [
        "limit", "delay", "loss", "duplicate", "reorder", "corrupt", "rate", "packetoverhead", "cellsize",
        "celloverhead",
        "ecn", "gap", "slot", "seed", "burst", "lat", "peakrate", "minburst", "mtu", "mpu", "overhead", "linklayer",
        "target", "interval", "flows", "quantum", "tupdate", "bandwidth", "rtt", "step_thresh",
    ]

    /// Reads the qdiscs in a text, one on each line. Skips indented lines, which are statistics.
    static func list(_ text: String) throws(ImportError) -> [ListedQdisc] {
        var qdiscs: [ListedQdisc] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            if words.isEmpty || line.first?.isWhitespace == true { continue }
            let location = "line \(index + 1)"
            guard words[0] == "qdisc", words.count > 2 else {
                throw .invalid(
                    location: location,
                    reason: "found \(JSON.quoted(String(line.prefix(40)))); expected \"qdisc KIND HANDLE\""
                )
            }
            func value(_ key: Substring) -> String {
                words.firstIndex(of: key).flatMap { $0 + 1 < words.count ? String(words[$0 + 1]) : nil } ?? ""
            }
            var qdisc = ListedQdisc(
                kind: String(words[1]),
                device: value("dev"),
                handle: String(words[2]),
                parent: value("parent"),
                location: location,
                units: .text
            )
            qdisc.options = try options(words.drop { !keywords.contains(String($0)) }, at: location)
            qdiscs.append(qdisc)
        }
        return qdiscs
    }

    private static func options(
        _ words: ArraySlice<Substring>,
        at location: String
    ) throws(ImportError) -> [(key: String, values: [Field])] {
        var options: [(key: String, values: [Field])] = []
        var rest = words
        while let word = rest.popFirst() {
            var key = String(word)
            var values = rest.prefix { !keywords.contains(String($0)) }
            rest = rest.dropFirst(values.count)
            if key == "loss", let model = values.first, model == "state" || model == "gemodel" {
                key += " \(model)"
                // Names and figures alternate: "p 1% r 10%".
                let pairs = values.dropFirst()
                values = pairs.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)[...]
            }
            guard !options.contains(where: { $0.key == key }) else {
                throw .invalid(location: location, reason: "\(JSON.quoted(key)) is given twice")
            }
            guard !values.isEmpty || key == "ecn" else {
                throw .invalid(location: location, reason: "\(JSON.quoted(key)) has no figure")
            }
            options.append((key, values.map { Field($0, at: "\(location): \(key)") }))
        }
        return options
    }

    /// Reads the qdiscs in JSON.
    static func list(_ root: Node) throws(ImportError) -> [ListedQdisc] {
        guard let elements = root.elements else {
            throw .invalid(location: root.location, reason: "found \(root.json.kind); expected an array of qdiscs")
        }
        var qdiscs: [ListedQdisc] = []
        for element in elements {
            guard let kind = element["kind"].flatMap({ String(json: $0.json) }) else {
                throw .invalid(location: element.location, reason: "a qdisc without a \"kind\"")
            }
            func value(_ key: String) -> String { element[key].flatMap { String(json: $0.json) } ?? "" }
            var qdisc = ListedQdisc(
                kind: kind,
                device: value("dev"),
                handle: value("handle"),
                parent: value("parent"),
                location: element.location,
                units: .json
            )
            for (name, option) in element["options"]?.members ?? [] {
                qdisc.options += try options(name, option)
            }
            qdiscs.append(qdisc)
        }
        return qdiscs
    }

    /// For each object in JSON: the keyword in the text output, and the names of its members in the text output's
    /// order.
    private static let members: [String: (keyword: String, names: [String])] = [
        "delay": ("delay", ["delay", "jitter", "correlation"]),
        "loss-random": ("loss", ["loss", "correlation"]),
        "loss-state": ("loss state", ["p13", "p31", "p32", "p23", "p14"]),
        "loss-gemodel": ("loss gemodel", ["p", "r", "1-h", "1-k"]),
        "duplicate": ("duplicate", ["duplicate", "correlation"]),
        "reorder": ("reorder", ["reorder", "correlation"]),
        "corrupt": ("corrupt", ["corrupt", "correlation"]),
        "rate": ("rate", ["rate"]),
    ]

    /// Reads the figures of a JSON member, with the keyword of the text output.
    private static func options(_ name: String, _ node: Node) throws(ImportError) -> [(key: String, values: [Field])] {
        switch node.json.value {
        case .object:
            guard let (key, names) = members[name] else { return [(name, [])] }
            var values: [Field] = []
            for inner in names { values.append(try node.field(inner) ?? Field("0", at: node.location)) }
            // The overheads are members of the object "rate".
            let others = name == "rate" ? ["packetoverhead", "cellsize", "celloverhead"] : []
            var options = [(key: key, values: values)]
            for inner in others {
                if let field = try node.field(inner) { options.append((inner, [field])) }
            }
            return options
        case .bool(let isSet): return isSet ? [(name, [])] : []
        default: return node.isNothing ? [] : [(name, [try Field(node)])]
        }
    }
}
