// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
package import SandboxClient

/// The fields of the form for a rule, as typed: the command line judges them.
package struct RuleFields: Hashable, Sendable {
    package var interface: String?
    package var container: String?
    package var profile: String?
    package var downlink: String?
    package var uplink: String?
    package var dns: String?
    package var to: [String] = []
    package var port: [String] = []
    package var transport: [String] = []
    package var exclude: [String] = []
    package var limit: String?
    package var confirm: String?
    package var engine: String?
    package var keepsLogin = false
    /// Whether nothing is to be changed.
    package var isDryRun = false

    package init() {}

    /// Reads the fields from the body of a request; an empty text counts as a value.
    ///
    /// - Throws: the answer that names the wrong field.
    package init(_ body: JSON?) throws(ControlAPI.Answer) {
        var reader = try FieldReader(body)
        interface = try reader.text("interface")
        container = try reader.text("container")
        profile = try reader.text("profile")
        downlink = try reader.text("downlink")
        uplink = try reader.text("uplink")
        dns = try reader.text("dns")
        to = try reader.texts("to")
        port = try reader.texts("port")
        transport = try reader.texts("protocol")
        exclude = try reader.texts("exclude")
        limit = try reader.text("for")
        confirm = try reader.text("confirm")
        engine = try reader.text("engine")
        keepsLogin = try reader.flag("keepSSH")
        isDryRun = try reader.flag("dryRun")
        try reader.finish()
    }

    /// Whether the rule gets every packet, and nothing ends it but a command.
    package var isUnlimited: Bool {
        (to + port + transport).isEmpty && limit == nil && confirm == nil
    }

    /// The first field that is given and that no change in place has; nil if there is none.
    var fixed: String? {
        let lists = [("to", to), ("port", port), ("protocol", transport), ("exclude", exclude)]
        return lists.first { !$0.1.isEmpty }?.0 ?? (limit == nil ? confirm == nil ? nil : "confirm" : "for")
    }

    /// The words of `linkcond apply`.
    package var arguments: [String] {
        var words = CommandWords("apply")
        words.add(profile)
        words.add("--interface", short: "-i", interface)
        words.add("--container", container)
        addFigures(to: &words)
        words.add("--to", to)
        words.add("--port", port)
        words.add("--protocol", transport)
        words.add("--exclude", exclude)
        words.add("--for", limit)
        words.add("--confirm", confirm)
        words.add("--keep-ssh", if: keepsLogin)
        words.add("--engine", engine)
        return words.arguments
    }

    /// The words of `linkcond switch`, which changes the conditions of a rule that is there.
    ///
    /// - Parameter rule: the rule's number, as typed.
    package func switchArguments(rule: String?) -> [String] {
        var words = CommandWords("switch")
        words.add(profile)
        words.add("--interface", short: "-i", interface)
        words.add("--rule", rule)
        words.add("--container", container)
        addFigures(to: &words)
        words.add("--engine", engine)
        return words.arguments
    }

    private func addFigures(to words: inout CommandWords) {
        words.add("--downlink", downlink)
        words.add("--uplink", uplink)
        words.add("--dns", dns)
    }
}
