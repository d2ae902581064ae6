// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkProfiles

/// An argument of a subcommand, as the parser describes it.
struct CommandArgument {
    /// With their dashes; empty for an argument that has a position.
    let names: [String]
    /// What stands for the value in the help; nil for a flag.
    let metavariable: String?
    /// The values of an enumeration.
    let values: [String]
    let summary: String
    let isRepeatable: Bool
    /// Whether it follows "--".
    let isCommand: Bool

    private init(_ json: JSON) {
        func text(_ name: String) -> String? { json[name].flatMap { String(json: $0) } }
        func list(_ name: String) -> [JSON] {
            guard case .array(let elements)? = json[name]?.value else { return [] }
            return elements
        }
        names = list("names").map { name in
            let dashes = name["kind"].flatMap { String(json: $0) } == "long" ? "--" : "-"
            return dashes + (name["name"].flatMap { String(json: $0) } ?? "")
        }
        metavariable = text("kind") == "flag" ? nil : text("valueName")
        values = list("allValues").compactMap { String(json: $0) }
        summary = text("abstract") ?? ""
        isRepeatable = json["isRepeating"].flatMap { Bool(json: $0) } ?? false
        isCommand = text("parsingStrategy") == "postTerminator"
    }

    /// The arguments of a subcommand, in the order of their declarations.
    static func all(of type: any ParsableCommand.Type) -> [CommandArgument] {
        guard let dump = try? JSON(utf8: type._dumpHelp().utf8),
            case .array(let elements)? = dump["command"]?["arguments"]?.value
        else { return [] }
        return elements.map(CommandArgument.init)
    }
}
