// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinkConditioning
internal import LinkProfiles
internal import LinuxSystem
internal import PacketPump
internal import ProfileCatalog
internal import SandboxClient
internal import SocketServing

/// The sandbox as the control socket serves it. Used on the thread that changes the sandbox's conditions.
struct ControlledSandbox {
    let conditions: SandboxConditions
    let catalog: Catalog
    /// The program that carries the uplink; nil if offline.
    let uplink: String?
    let supervisor: Int32
    /// The events of the run; nil if they are not recorded.
    var events: RunEvents?
    /// Plays scenarios; nil if none can be played.
    var scenario: ScenarioPlayer?
    /// The observation of the run, which may not have begun yet; nil if there cannot be one.
    var observation: RunObservation?
    /// The channel to the process that reads the packets; nil if there is none.
    var reader: MessageChannel?
    /// Requests verdicts over that channel; nil without it, or before the socket is served.
    var relay: JudgeRelay?
    var intent = RunIntent()
    /// Descendants of the supervisor that do not belong to the command.
    var helpers: Set<Int32> = []
    private let processes = SocketProcesses { ProcessTree.descendants() }

    /// The name of the client of a request that changes conditions, for the record; nil if it is not known. Call it at
    /// once: the client may have ended when its request is handled.
    static func clientName(_ process: Int32, _ method: String, _ path: String) -> String? {
        let changes =
            switch ControlAPI.Resource(rawValue: path) {
            case .off, .on: true
            default: method == "PUT"
            }
        return changes && process > 0 ? ProcessStatus.words(process) : nil
    }

    /// Uses this loop, of the thread that changes conditions, for the steps of a scenario and for changes that wait.
    func start(on loop: EventLoop) {
        conditions.changeQueue.loop = loop
        scenario?.start(on: loop)
    }

    /// Answers one request, on any thread: at once, or, if the request changes conditions, after the changes that were
    /// requested before it.
    ///
    /// - Parameter name: the name of the client; nil if it is not known.
    func answer(
        _ method: String,
        _ path: String,
        body: [UInt8],
        from name: String? = nil,
        then respond: @escaping @Sendable (ControlAPI.Answer) -> Void
    ) {
        let lanes = conditions.changeQueue
        // "/v1/conditions/wifi0" stands for the conditions of one interface.
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let isOfOne = parts.count == 4 && path.hasPrefix("\(ControlAPI.Resource.conditions.rawValue)/")
        let interface = isOfOne ? String(parts[3]) : nil
        switch (method, interface == nil ? ControlAPI.Resource(rawValue: path) : .conditions) {
        case ("GET", .status): respond(status())
        case ("GET", .conditions): respond(currentConditions(on: interface))
        case ("PUT", .conditions): lanes.whenDrained { respond(change(body, on: interface, by: name)) }
        case ("POST", .off): lanes.whenDrained { respond(turnOff(by: name)) }
        case ("POST", .on): lanes.whenDrained { respond(turnOn(by: name)) }
        case ("GET", .interfaces): respond(interfaces())
        case ("GET", .run): run(then: respond)
        case ("GET", .connections): respond(connections())
        case ("GET", .scenario): respond(repetition())
        case ("PUT", .scenario): lanes.whenDrained { respond(play(body, by: name)) }
        case ("DELETE", .scenario): respond(stopPlaying())
        case ("POST", .observation): lanes.whenDrained { respond(observe()) }
        case ("POST", .marks): mark(body, then: respond)
        case ("POST", .judge): judge(body, then: respond)
        // Requests that `file` serves.
        case ("GET", .capture), ("GET", .record):
            respond(notObserved(gap ?? "the run has ended"))
        default: respond(ControlAPI.refuse(path: path))
        }
    }

    /// The open file to send as the answer; nil if the answer is no file.
    func file(_ method: String, _ path: String) -> CInt? {
        guard method == "GET", let resource = ControlAPI.Resource(rawValue: path),
            resource == .capture || resource == .record, gap == nil, let observation
        else { return nil }
        return resource == .capture ? observation.capture : observation.record.descriptor
    }

    /// The reason why the capture and the record miss something that the client did; nil if they are complete.
    private var gap: String? {
        guard let observation, observation.since != nil else { return "this run is not observed" }
        if let problem = observation.record.problem { return "\(problem)" }
        do {
            try conditions.checkRecording()
            return nil
        } catch {
            return error.message
        }
    }

    /// Begins to observe the client, unless the observation has begun already.
    private func observe() -> ControlAPI.Answer {
        guard let observation else {
            return notObserved("this run cannot be observed from here on, for --capture or --keep-children")
        }
        let isFirst = observation.since == nil
        if isFirst {
            do {
                try conditions.record()
            } catch {
                return notObserved(error.message)
            }
            observation.begin(hasBegun: true)
        }
        guard let since = observation.since else { return notObserved("the run has ended") }
        if isFirst { events?.post(.observing(since: since)) }
        return ControlAPI.Answer(body: JSON(("since", .number(since.nanoseconds))))
    }

    private func judge(_ body: [UInt8], then respond: @escaping @Sendable (ControlAPI.Answer) -> Void) {
        let example = "{\"expectations\": [\"at most 1 connection\"], \"since\": \"MARK\"}"
        guard let request = (try? JSON(utf8: body)).flatMap({ JudgeRequest(json: $0) }) else {
            return respond(ControlAPI.refuse(.badRequest, "the body is no request; send an object such as \(example)"))
        }
        // Missing packets are not refused here: they make verdicts inconclusive.
        guard observation?.since != nil else { return respond(notObserved("this run is not observed")) }
        guard let relay else { return respond(notObserved("nothing reads the packets of this run")) }
        relay.judge(request) { [events] answer in
            // Post first: a client that has the answer may end the run.
            if let test = TestVerdicts(request, answer) { events?.post(.judged(test)) }
            respond(answer)
        }
    }

    private func notObserved(_ reason: String) -> ControlAPI.Answer {
        ControlAPI.refuse(.notObserved, "\(reason); begin it as: linkcond run --observe -- COMMAND")
    }

    private func status() -> ControlAPI.Answer {
        do {
            var (report, profile) = try conditions.report()
            report.sandbox = StatusReport.Sandbox(profile: profile, uplink: uplink, processID: supervisor)
            report.sandbox?.network = conditions.networkWords
            report.sandbox?.paths = conditions.paths
            return ControlAPI.Answer(body: report.json)
        } catch {
            return ControlAPI.refuse(.refused, error.description)
        }
    }

    /// The flows of the pumps; without a pump, none are listed.
    private func connections() -> ControlAPI.Answer {
        guard let pump = conditions.pump else {
            return ControlAPI.refuse(.notObserved, "the kernel carries the conditions of this run, and counts no flows")
        }
        do {
            let taps = try conditions.report().0.devices.flatMap { device in
                device.rules.compactMap { rule in
                    rule.lanes.first.map { (rule: "\(device.interface)#\(rule.number)", tap: $0.device) }
                }
            }
            var rows = pump.client.connections(of: taps)
            processes.update(at: BootClock.now)
            processes.name(&rows)
            let count = JSON.number(rows.count)
            return ControlAPI.Answer(body: JSON(("total", count), ("shown", count), ("rows", .list(rows.map(\.json)))))
        } catch {
            return ControlAPI.refuse(.refused, error.description)
        }
    }

    private func change(_ body: [UInt8], on interface: String?, by client: String?) -> ControlAPI.Answer {
        do {
            let (profile, recordings) = try profile(body)
            let start = try conditions.change(to: profile, on: interface, by: .client(client), recordings, seed: nil)
            conditions.played.add(profile, on: interface, at: start)
            events?.post(.conditions(profile: RunConditions.words(profile.name, on: interface), by: client), at: start)
            return ControlAPI.Answer(
                body: JSON(("profile", .text(profile.name)), ("traffic", .text(conditions.traffic)))
            )
        } catch let error as ConditioningError {
            return ControlAPI.refuse(error)
        } catch {
            return error as? ControlAPI.Answer ?? ControlAPI.refuse(.refused, "\(error)")
        }
    }

    private func currentConditions(on interface: String?) -> ControlAPI.Answer {
        do {
            let current = try conditions.current(on: interface)
            return ControlAPI.Answer(status: current == nil ? 204 : 200, body: current?.conditions.json)
        } catch {
            return ControlAPI.refuse(error)
        }
    }

    /// Answers when the conditions of a step that waited for the mark are in effect.
    private func mark(_ body: [UInt8], then respond: @escaping @Sendable (ControlAPI.Answer) -> Void) {
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
            respond(ControlAPI.Answer(body: JSON(("mark", .text(name)), ("step", .text(step)))))
        }
        guard let scenario, scenario.runner?.awaits(name) == true else { return answer(nil) }
        conditions.changeQueue.whenDrained { answer(scenario.runner?.mark(name)) }
    }

    /// The profile in a body: an object, or a name with or without JSON's quotes.
    private func profile(_ body: [UInt8]) throws(ControlAPI.Answer) -> (Profile, Recordings) {
        let text = String(decoding: body, as: UTF8.self)
        if text.first(where: { !$0.isWhitespace }) == "{" {
            do {
                let sent = try RecordedProfile(json: JSON(readable: body))
                return (sent.profile, sent.recordings)
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
            let remedy = "send the file's content, such as json.load(open(PATH)), or a name"
            throw ControlAPI.refuse(.badRequest, "paths are not accepted: \(remedy)")
        }
        do {
            return (try catalog.profile(name).profile, [:])
        } catch {
            guard case .unknownName = error else { throw ControlAPI.refuse(.badProfile, error.description) }
            throw ControlAPI.refuse(.unknownProfile, error.description)
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        let start = drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
