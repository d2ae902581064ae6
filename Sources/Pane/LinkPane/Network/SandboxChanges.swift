// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinkProfiles
internal import LinuxSystem
package import SandboxClient
internal import Sandboxing

/// Changes of a run's conditions, each by a command of linkcond: `POST` and `PUT` of `/v1/rules` are `switch`, and
/// `POST` of `/v1/off`, `/v1/on`, `/v1/reset` and `/v1/marks`.
///
/// The commands find the run by the environment. A name of an interface is passed on only if it has conditions of its
/// own there: otherwise, it would stand for an interface of this machine.
package final class SandboxChanges: PaneResource, Sendable {
    private let program: OwnProgram
    private let client: ControlClient

    /// - Parameter program: runs with the variable of the run's control socket.
    package init(_ program: OwnProgram, _ client: ControlClient) { (self.program, self.client) = (program, client) }

    package func answer(_ request: PaneRequest) -> ControlAPI.Answer? {
        do throws(ControlAPI.Answer) {
            switch (request.method, request.path) {
            case ("POST", "/v1/rules"), ("PUT", "/v1/rules"):
                var fields = try RuleFields(request.body)
                fields.interface = request.query["interface"] ?? fields.interface
                return try change(fields)
            case ("POST", "/v1/off"), ("POST", "/v1/on"), ("POST", "/v1/reset"):
                return run([String(request.path.dropFirst("/v1/".count))])
            case ("POST", "/v1/marks"):
                var reader = try FieldReader(request.body)
                let name = try reader.text("name")
                try reader.finish()
                var words = CommandWords("mark")
                words.add(name)
                return run(words.arguments, field: "name")
            case (_, "/v1/rules"): throw ControlAPI.refuse(allowing: "POST, PUT")
            case (_, "/v1/off"), (_, "/v1/on"), (_, "/v1/reset"), (_, "/v1/marks"):
                throw ControlAPI.refuse(allowing: "POST")
            default: return nil
            }
        } catch {
            return error
        }
    }

    private func change(_ fields: RuleFields) throws(ControlAPI.Answer) -> ControlAPI.Answer {
        try Self.refuseTraffic(fields)
        var switched = RuleFields()
        (switched.profile, switched.downlink) = (fields.profile, fields.downlink)
        (switched.uplink, switched.dns) = (fields.uplink, fields.dns)
        if let interface = fields.interface, try paths().contains(interface) { switched.interface = interface }
        let arguments = switched.switchArguments(rule: nil)
        guard fields.isDryRun else { return run(arguments, switched) }
        // The same messages about the profile and its figures; "switch" itself tries nothing in a run.
        switched.interface = nil
        var answer = run(["show"] + switched.switchArguments(rule: nil).dropFirst(), switched)
        guard answer.status == 200 else { return answer }
        answer.body = JSON(
            ("command", CommandOutcome.line(arguments).json),
            ("notes", .list([])),
            ("warnings", .list([]))
        )
        return answer
    }

    /// A run has its traffic by its own options, and its end by its command.
    private static func refuseTraffic(_ fields: RuleFields) throws(ControlAPI.Answer) {
        let given: [(name: String, isGiven: Bool)] = [
            ("to", !fields.to.isEmpty), ("port", !fields.port.isEmpty), ("protocol", !fields.transport.isEmpty),
            ("exclude", !fields.exclude.isEmpty), ("for", fields.limit != nil), ("confirm", fields.confirm != nil),
            ("container", fields.container != nil), ("engine", fields.engine != nil),
        ]
        guard let field = given.first(where: \.isGiven) else { return }
        let message = "\"\(field.name)\" cannot be changed in a run: give it to \"linkcond run\""
        throw ControlAPI.refuse(.badRequest, message, field: field.name)
    }

    private func paths() throws(ControlAPI.Answer) -> [String] {
        do throws(ControlClient.Refusal) {
            return try client.status().sandbox?.paths ?? []
        } catch {
            throw ControlAPI.refuse(error.kind ?? .refused, error.message)
        }
    }

    private func run(_ arguments: [String], _ fields: RuleFields? = nil, field: String? = nil) -> ControlAPI.Answer {
        do {
            let outcome = try program.run(arguments)
            guard !outcome.hasSucceeded else { return outcome.answer() }
            return outcome.answer(field: fields.flatMap { $0.field(of: outcome, by: program) } ?? field)
        } catch {
            return ControlAPI.refuse(.refused, "\(error)")
        }
    }
}
