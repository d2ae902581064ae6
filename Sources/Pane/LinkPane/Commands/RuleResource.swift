// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinuxSystem
package import SandboxClient

/// Changes of this machine's rules, each by a command of linkcond: `POST`, `PUT` and `DELETE` of `/v1/rules`, and
/// `POST` of `/v1/off`, `/v1/on` and `/v1/reset`.
///
/// Has no state, so that several requests may be answered at the same time, each on its own thread.
package final class RuleResource: PaneResource, Sendable {
    private let program: OwnProgram
    private let port: UInt16
    private let needsRoot: Bool
    private let changes: PaneChanges

    /// - Parameters:
    ///   - port: the page's own port, which conditions of loopback leave out.
    ///   - needsRoot: whether this process may change nothing: the lines to copy then begin with sudo(8).
    ///   - changes: is told of each command that may have changed something.
    package init(_ program: OwnProgram, port: UInt16, needsRoot: Bool, changes: PaneChanges) {
        (self.program, self.port, self.needsRoot, self.changes) = (program, port, needsRoot, changes)
    }

    package func answer(_ request: PaneRequest) -> ControlAPI.Answer? {
        do throws(ControlAPI.Answer) {
            switch (request.method, request.path) {
            case ("POST", "/v1/rules"): return try apply(RuleFields(request.body))
            case ("PUT", "/v1/rules"): return try change(request)
            case ("DELETE", "/v1/rules"):
                let rule = try Self.required("rule", of: request)
                return run(Self.words("reset", request.query["interface"], request.query["container"], rule: rule))
            case ("POST", "/v1/off"), ("POST", "/v1/on"), ("POST", "/v1/reset"):
                var fields = try FieldReader(request.body)
                let (interface, container) = (try fields.text("interface"), try fields.text("container"))
                try fields.finish()
                return run(Self.words(String(request.path.dropFirst("/v1/".count)), interface, container))
            case (_, "/v1/rules"): throw ControlAPI.refuse(allowing: "POST, PUT, DELETE")
            case (_, "/v1/off"), (_, "/v1/on"), (_, "/v1/reset"): throw ControlAPI.refuse(allowing: "POST")
            default: return nil
            }
        } catch {
            return error
        }
    }

    private func apply(_ fields: RuleFields) -> ControlAPI.Answer {
        var fields = fields
        // Every container has eth0, unless it says otherwise.
        if fields.container != nil, fields.interface == nil { fields.interface = "eth0" }
        fields.excludePage(at: port)
        var arguments = fields.arguments
        guard fields.isDryRun else { return run(arguments, fields) }
        arguments.insert("--dry-run", at: 1)
        let answer = run(arguments, fields, warnings: fields.warnings)
        return offering(fields.arguments, answer)
    }

    private func change(_ request: PaneRequest) throws(ControlAPI.Answer) -> ControlAPI.Answer {
        var fields = try RuleFields(request.body)
        if let field = fields.fixed {
            throw ControlAPI.refuse(.badRequest, "a change in place keeps the rule's traffic and its end", field: field)
        }
        fields.interface = request.query["interface"] ?? fields.interface
        fields.container = request.query["container"] ?? fields.container
        var arguments = fields.switchArguments(rule: request.query["rule"])
        guard fields.isDryRun else { return run(arguments, fields) }
        let offered = arguments
        arguments.insert("--dry-run", at: 1)
        return offering(offered, run(arguments, fields, warnings: []))
    }

    /// The answer to a dry run, with the line that would make the change.
    private func offering(_ arguments: [String], _ answer: ControlAPI.Answer) -> ControlAPI.Answer {
        var answer = answer
        let line = (needsRoot ? "sudo " : "") + CommandOutcome.line(arguments)
        answer.body = answer.body?.replacing("command", line.json)
        return answer
    }

    /// Runs a command.
    ///
    /// - Parameter fields: the form that the command's words are from; nil for none.
    private func run(
        _ arguments: [String],
        _ fields: RuleFields? = nil,
        warnings: [String]? = nil
    ) -> ControlAPI.Answer {
        do {
            let outcome = try program.run(arguments)
            if fields?.isDryRun != true { changes.note() }
            let field = outcome.hasSucceeded ? nil : fields?.field(of: outcome, by: program)
            return outcome.answer(warnings: warnings.map { $0 + outcome.notes }, field: field)
        } catch {
            return ControlAPI.refuse(.refused, "\(error)")
        }
    }

    private static func words(
        _ command: String,
        _ interface: String?,
        _ container: String?,
        rule: String? = nil
    ) -> [String] {
        var words = CommandWords(command)
        words.add("--interface", short: "-i", interface)
        words.add("--rule", rule)
        words.add("--container", container)
        return words.arguments
    }

    /// A value of the query; without it, the request would be about more than was meant.
    private static func required(
        _ name: String,
        of request: PaneRequest
    ) throws(ControlAPI.Answer) -> String {
        guard let value = request.query[name] else {
            throw ControlAPI.refuse(.badRequest, "the query has no \(name)", field: name)
        }
        return value
    }
}
