// SPDX-License-Identifier: Apache-2.0

internal import ClientObservation
import Glibc
internal import LinkConditioning
internal import LinkProfiles
internal import ProfileCatalog
internal import SandboxClient

/// The sandbox of the control socket.
struct ControlledSandbox {
    let conditions: SandboxConditions
    let catalog: Catalog
    /// The program that carries the uplink; nil if offline.
    let uplink: String?
    /// The sandbox's supervisor.
    let supervisor: Int32
    /// The events of the run; nil where they are not recorded.
    var events: RunEvents?
    /// Plays scenarios; nil where none can be played.
    var scenario: ScenarioPlayer?
    /// The observation of the run, which may not have begun yet; nil if there cannot be one.
    var observation: RunObservation?

    /// Answers one request: at once, or, if it changes conditions, when those changes have been made that came before it.
    func answer(
        _ method: String,
        _ path: String,
        body: [UInt8],
        then respond: @escaping (ControlAPI.Answer) -> Void
    ) {
        let lanes = conditions.oldLanes
        switch (method, path) {
        case ("PUT", ControlAPI.conditionsPath): lanes.whenDrained { respond(change(body)) }
        case ("PUT", ControlAPI.scenarioPath): lanes.whenDrained { respond(play(body)) }
        case ("POST", ControlAPI.observationPath): lanes.whenDrained { respond(observe()) }
        case ("POST", ControlAPI.marksPath): mark(body, then: respond)
        default: respond(answer(method, path))
        }
    }

    /// Answers a request that changes no conditions.
    private func answer(_ method: String, _ path: String) -> ControlAPI.Answer {
        switch (method, path) {
        case ("GET", ControlAPI.statusPath): return status()
        case ("GET", ControlAPI.conditionsPath): return currentConditions()
        case ("DELETE", ControlAPI.scenarioPath): return stopPlaying()
        case ("GET", ControlAPI.capturePath), ("GET", ControlAPI.recordPath):
            return notObserved(gap ?? "the run has ended")
        case (_, ControlAPI.statusPath), (_, ControlAPI.eventsPath), (_, ControlAPI.capturePath),
            (_, ControlAPI.recordPath):
            return notAllowed("GET")
        case (_, ControlAPI.conditionsPath): return notAllowed("GET, PUT")
        case (_, ControlAPI.scenarioPath): return notAllowed("PUT, DELETE")
        case (_, ControlAPI.marksPath), (_, ControlAPI.observationPath): return notAllowed("POST")
        default:
            let known =
                "GET \(ControlAPI.statusPath), GET or PUT \(ControlAPI.conditionsPath), PUT \(ControlAPI.scenarioPath), "
                + "POST \(ControlAPI.marksPath) or \(ControlAPI.observationPath), or GET \(ControlAPI.eventsPath)"
            var answer = ControlAPI.refuse(.badRequest, "there is no \(path); use \(known)")
            answer.status = 404
            return answer
        }
    }

    /// The open file that is the answer, if it is one.
    func file(_ method: String, _ path: String) -> CInt? {
        guard method == "GET", [ControlAPI.capturePath, ControlAPI.recordPath].contains(path), gap == nil,
            let observation, let capture = observation.capture
        else { return nil }
        return path == ControlAPI.capturePath ? capture : observation.record.descriptor
    }

    /// Why not all that the client did is in the capture and the record; nil if it is.
    private var gap: String? {
        guard let observation, observation.since != nil, observation.capture != nil else {
            return "this run is not observed"
        }
        if let problem = observation.record.problem { return "\(problem)" }
        do {
            try conditions.checkRecording()
            return nil
        } catch {
            return error.message
        }
    }

    /// Begins to observe the client, unless that has begun.
    private func observe() -> ControlAPI.Answer {
        guard let observation, observation.capture != nil else {
            return notObserved("this run cannot be observed from here on, for --capture or --keep-children")
        }
        func begun(_ since: Instant) -> ControlAPI.Answer {
            ControlAPI.Answer(status: 200, body: JSON(("since", .number(since.nanoseconds))))
        }
        if let since = observation.since { return gap.map { notObserved($0) } ?? begun(since) }
        do {
            try conditions.record()
            observation.begin(hasBegun: true)
            guard let since = observation.since else { return notObserved("the run has ended") }
            events?.post(.observing(since: since))
            if let gap { return notObserved(gap) }
            return begun(since)
        } catch {
            return notObserved(error.message)
        }
    }

    private func notObserved(_ reason: String) -> ControlAPI.Answer {
        ControlAPI.refuse(.notObserved, "\(reason); begin it as: linkcond run --observe -- COMMAND")
    }

    private func notAllowed(_ method: String) -> ControlAPI.Answer {
        var answer = ControlAPI.refuse(.badRequest, "only \(method) is allowed here")
        answer.status = 405
        answer.allowed = method
        return answer
    }

    private func status() -> ControlAPI.Answer {
        do {
            var (report, profile) = try conditions.report()
            report.sandbox = StatusReport.Sandbox(profile: profile, uplink: uplink, processID: supervisor)
            return ControlAPI.Answer(status: 200, body: report.json)
        } catch {
            return ControlAPI.refuse(.refused, error.description)
        }
    }

    private func change(_ body: [UInt8]) -> ControlAPI.Answer {
        do {
            let profile = try profile(body)
            try conditions.change(to: profile, seed: nil)
            events?.post(.conditions(profile: profile.name))
            return ControlAPI.Answer(status: 200, body: JSON(("profile", .text(profile.name))))
        } catch let error as ConditioningError {
            return ControlAPI.refuse(error)
        } catch {
            return error as? ControlAPI.Answer ?? ControlAPI.refuse(.refused, "\(error)")
        }
    }

    private func currentConditions() -> ControlAPI.Answer {
        ControlAPI.Answer(
            status: conditions.current == nil ? 204 : 200,
            body: conditions.current?.request.conditions.json
        )
    }

    /// Answers when the conditions of a step that waited for the mark are in effect.
    private func mark(_ body: [UInt8], then respond: @escaping (ControlAPI.Answer) -> Void) {
        let example = "{\"name\": \"cancelled\"}"
        guard let json = try? JSON(utf8: body), json.members.map(\.name) == ["name"],
            case .string(let name)? = json["name"]?.value
        else {
            return respond(ControlAPI.refuse(.badRequest, "the body is no mark; send an object such as \(example)"))
        }
        if let problem = Label.problem(with: name) {
            return respond(ControlAPI.refuse(.badRequest, "the mark's name \(problem)"))
        }
        events?.post(.mark(name))
        func answer(_ step: String?) {
            respond(ControlAPI.Answer(status: 200, body: JSON(("mark", .text(name)), ("step", .text(step)))))
        }
        guard let scenario, scenario.awaits(name) else { return answer(nil) }
        conditions.oldLanes.whenDrained { answer(scenario.mark(name)) }
    }

    /// The profile in a body: an object, or a name with or without JSON's quotes.
    private func profile(_ body: [UInt8]) throws(ControlAPI.Answer) -> Profile {
        let text = String(decoding: body, as: UTF8.self)
        if text.first(where: { !$0.isWhitespace }) == "{" {
            do {
                return try Profile(utf8: body)
            } catch {
                throw ControlAPI.refuse(.badProfile, error.issues.map { "\($0)" }.joined(separator: "\n"))
            }
        }
        var name = text.trimmed
        if name.hasPrefix("\"") {
            guard case .string(let unquoted)? = try? JSON(utf8: body).value else {
                throw ControlAPI.refuse(.badRequest, "the body is neither a profile nor a name")
            }
            name = unquoted
        }
        guard !name.isEmpty else {
            throw ControlAPI.refuse(.badRequest, "the body is empty; it must be a profile or a name")
        }
        // A path would be read with the supervisor's privileges, which may exceed the client's.
        guard !name.contains("/"), !name.hasSuffix(".json"), name != "-" else {
            throw ControlAPI.refuse(.badRequest, "paths are not accepted; send the profile itself or a name")
        }
        do {
            return try catalog.profile(name).profile
        } catch {
            guard case .unknownName = error else { throw ControlAPI.refuse(.badProfile, error.description) }
            throw ControlAPI.refuse(.unknownProfile, error.description)
        }
    }
}

extension String {
    /// The text without white space around it.
    fileprivate var trimmed: String {
        let start = drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
