// SPDX-License-Identifier: Apache-2.0

extension RuleFields {
    /// The field that a command's failure is about, such as "to" or "downlink.rate"; nil if it is about no field, or
    /// about several.
    func field(of outcome: CommandOutcome, by program: OwnProgram) -> String? {
        if let field = Self.field(named: outcome.problem) { return field }
        // Other failures, such as a lock, are about no field.
        guard [64, 65, 66, 69].contains(where: { outcome.end == .exited($0) }) else { return nil }
        return field(alone: outcome, by: program)
    }

    /// The fields by the options of the command line.
    private static let options = [
        "--interface": "interface", "-i": "interface", "--container": "container", "--downlink": "downlink",
        "--uplink": "uplink", "--dns": "dns", "--to": "to", "--port": "port", "--protocol": "protocol",
        "--exclude": "exclude", "--for": "for", "--confirm": "confirm", "--engine": "engine", "--keep-ssh": "keepSSH",
        "--rule": "rule",
    ]

    /// The field that the message itself names: "--port 0 is not ...", "the value 'x' is invalid for '--for TIME': ..."
    /// or "$.downlink.rate: ...".
    static func field(named message: String) -> String? {
        let line = message.prefix { $0 != "\n" }
        if line.hasPrefix("$.") {
            let path = line.dropFirst(2).prefix { $0 != ":" && $0 != " " }
            return ["downlink", "uplink", "dns"].contains { path == $0 || path.hasPrefix("\($0).") } ? "\(path)" : nil
        }
        var option = line.prefix { $0 != " " && $0 != ":" }
        // The parser quotes a value, which may have any words, before the option.
        if let end = line.ranges(of: "' is invalid for '").last?.upperBound {
            option = line[end...].prefix { $0 != " " && $0 != "'" }
        }
        return options[String(option)]
    }

    /// The field that fails with the same message if it is given without the others, in a dry run.
    private func field(alone outcome: CommandOutcome, by program: OwnProgram) -> String? {
        alone.first { _, fields in
            var arguments = fields.arguments
            arguments.insert("--dry-run", at: 1)
            let attempt = try? program.run(arguments)
            return attempt?.hasSucceeded == false && attempt?.problem == outcome.problem
        }?.name
    }

    /// For each field that is given, a rule that has only this one, and what a rule needs, from values that are right
    /// on every machine.
    private var alone: [(name: String, fields: RuleFields)] {
        var plain = RuleFields()
        (plain.interface, plain.downlink) = ("lo", "delay=1 ms")
        var attempts: [(name: String, fields: RuleFields)] = []
        func attempt(_ name: String, _ change: (inout RuleFields) -> Void) {
            var fields = plain
            change(&fields)
            if fields != plain { attempts.append((name, fields)) }
        }
        attempt("profile") { if let profile { ($0.profile, $0.downlink) = (profile, nil) } }
        attempt("interface") { if container == nil { $0.interface = interface } }
        attempt("container") { $0.container = container }
        attempt("downlink") { $0.downlink = downlink ?? $0.downlink }
        attempt("uplink") { $0.uplink = uplink }
        attempt("dns") { $0.dns = dns }
        attempt("to") { $0.to = to }
        attempt("exclude") { $0.exclude = exclude }
        attempt("engine") { $0.engine = engine }
        attempt("keepSSH") { $0.keepsLogin = keepsLogin }
        return attempts
    }
}
