// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
public import ClientObservation
import Glibc
internal import LinkConditioning
internal import LinuxSystem
internal import Netlink
internal import PacketPump
internal import TrafficControl

/// A sandbox that exists: the processes and threads of a private network. It is used by the process that made it.
public final class RunningSandbox: RunningEnvironment {
    private let sandbox: Sandbox
    private let uplink: Uplink?
    private let hostServices: HostServices?
    private let refusals: RefusedConnections
    private let control: CInt
    private let conditions: SandboxConditions
    private let pump: PumpProcess?
    private let pumpWatch: PumpWatch?
    private var recorder: RunCapture.LaneRecorder?
    /// Whether the command must find /proc/sys read-only, as it is outside.
    public let hasReadOnlySettings: Bool

    private var events: RunEvents?
    private var player: ScenarioPlayer?
    private var observation: RunObservation?
    private var progressSampler: ProgressSampler?
    private var server: ControlServer.Running?
    /// Whether anything was observed, when the command has ended.
    private var wasObserved = false

    /// Makes the namespaces that `sandbox` describes, and sets them up.
    init(_ sandbox: Sandbox, watching launcher: CInt, _ notes: inout [String]) throws(SandboxError) {
        self.sandbox = sandbox
        let account = sandbox.account
        let log = try sandbox.log.map { path throws(SandboxError) in
            try OutputFile(path: path, account: account).open(.log)
        }
        let capture = try sandbox.capture?.open(for: account)
        defer { for file in [log].compactMap({ $0 }) + (capture?.descriptors ?? []) { close(file) } }
        let settings = NetworkSettings.ofHost()
        let resolver = ProcFile("/etc/resolv.conf").lines
        hostServices = try HostServices.fork(sandbox.hostPorts)
        uplink = try sandbox.uplinkProgram.map { program throws(SandboxError) in try Uplink.fork(program) }
        let connection: RouteConnection
        (connection, hasReadOnlySettings) = try Self.moveIn(settings)
        uplink?.start()
        refusals = RefusedConnections()
        try hostServices?.open()
        control = try Self.makeFiles(user: account?.userID ?? geteuid())
        notes += [sandbox.uplinkProgram?.caveat].compactMap { $0 }
        if let uplink {
            if try !PrivateFiles.resolve(through: uplink.program.nameServer, host: resolver) {
                notes.append("there is no /etc/resolv.conf: names are not resolved in the sandbox")
            }
            try uplink.wait(connection, watching: launcher)
        } else {
            PrivateFiles.keepResolver(resolver)
        }
        do {
            let conditioner = EphemeralConditioner(connection)
            let choice = try sandbox.choose(conditioner)
            if let note = choice.note, sandbox.request != nil { notes.append(note) }
            try sandbox.scenario?.check(conditioner, choice.engine, on: sandbox.devices)
            let pump = choice.engine == .userspace ? try Self.startPump(sandbox, log: log, capture) : nil
            self.pump = pump
            // Not before Linux 5.3.
            pumpWatch = pump.flatMap { try? PumpWatch($0) }
            if choice.engine == .netem, sandbox.seesAll, let start = sandbox.capture?.startLanes, let capture {
                recorder = try Self.startRecorder(start, capture.descriptors, of: sandbox.devices, connection)
            }
            if let recorder { notes.append(recorder.caveat) }
            conditions = SandboxConditions(
                connection,
                devices: sandbox.devices,
                selection: sandbox.request?.selection ?? Selection(),
                pump: pump,
                seesAll: sandbox.seesAll
            )
            if let request = sandbox.firstRequest {
                try Self.begin(request, choice, conditions, conditioner)
            }
        } catch {
            throw SandboxError(error)
        }
    }

    private static func startPump(
        _ sandbox: Sandbox,
        log: CInt?,
        _ capture: PumpCaptureStart?
    ) throws(ConditioningError) -> PumpProcess {
        let recordings = sandbox.request?.recordings ?? [:]
        do {
            return try PumpProcess.fork(
                recordings.merging(sandbox.scenario?.recordings ?? [:]) { first, _ in first },
                ephemeralPorts: NetworkSettings.ephemeralPorts,
                log: log,
                capture: capture,
                isRecording: !sandbox.isObservedAtRequest
            )
        } catch {
            throw ConditioningError(.unsupported, error)
        }
    }

    /// Starts a capture that writes to the first of the open files and reads TLS keys from the second.
    private static func startRecorder(
        _ start: RunCapture.StartLanes,
        _ files: [CInt],
        of devices: [String],
        _ connection: RouteConnection
    ) throws(ConditioningError) -> RunCapture.LaneRecorder {
        do {
            let indexes = try devices.map { try connection.link(named: $0).index }
            return try start(files[0], files.dropFirst().first, indexes)
        } catch {
            throw ConditioningError(.unsupported, "cannot capture: \(error)")
        }
    }

    private static func begin(
        _ request: RuleRequest,
        _ choice: EngineChoice,
        _ conditions: SandboxConditions,
        _ conditioner: EphemeralConditioner
    ) throws(ConditioningError) {
        do {
            try conditioner.require(choice)
            try conditions.change(to: request.profile, seed: request.seed, plans: choice.plans)
        } catch {
            var error = error
            // Both engines may lack the same thing.
            if let reason = choice.reason, reason != error.message { error.message = "\(reason)\n\(error.message)" }
            error.remedy = error.remedy ?? Remedy(.examine)
            throw error
        }
    }

    /// Moves this process into a new network and sets that up.
    static func moveIn(
        _ settings: NetworkSettings
    ) throws(SandboxError) -> (connection: RouteConnection, hasReadOnlySettings: Bool) {
        let namespaces = try NamespaceSet.enter()
        let connection = try RouteConnection.here()
        try settings.apply(connection, hasUserNamespace: namespaces.hasUser)
        return (connection, namespaces.hasReadOnlySettings)
    }

    /// Makes the files that only the sandbox sees; returns its control socket, for root and `user`.
    static func makeFiles(user: uid_t) throws(SandboxError) -> CInt {
        try PrivateFiles.mountDirectory()
        try PrivateFiles.makeTurn(user: user)
        try PrivateFiles.hideResolvers()
        PrivateFiles.showInterfaces()
        return try ControlServer.listen(at: PrivateFiles.controlSocket, user: user)
    }

    /// Names the control socket.
    public var variables: [(name: String, value: String)] {
        [("LINKCOND_SOCKET", PrivateFiles.controlSocket)]
    }

    /// Serves the control socket, watches the pump, and begins the scenario.
    public func serve() {
        pumpWatch?.start()
        let record = sandbox.events.map { EventFile($0) }
        observation = record.map { RunObservation(capture: sandbox.captureFile, record: $0) }
        if !sandbox.isObservedAtRequest { observation?.begin(hasBegun: false) }
        let events = RunEvents(file: record)
        events.post(.begin)
        self.events = events
        let interface = uplink == nil ? nil : UplinkProgram.interface
        let player = ScenarioPlayer(sandbox.scenario, conditions, events, uplink: interface)
        self.player = player
        if sandbox.isWatched {
            progressSampler = ProgressSampler(player, conditions)
            progressSampler?.start()
        }
        let controlled = ControlledSandbox(
            conditions: conditions,
            catalog: sandbox.catalog,
            uplink: sandbox.uplinkProgram?.name,
            supervisor: getpid(),
            events: events,
            scenario: player,
            observation: observation
        )
        server = ControlServer(sandbox: controlled, users: [geteuid(), sandbox.account?.userID ?? geteuid()])
            .serve(control)
    }

    /// What the last look found.
    public var progress: RunProgress? { progressSampler?.latest }

    /// Ends the scenario and the events, and says which steps never began, and what a failed command may have missed.
    public func commandHasEnded(_ end: CommandEnd) -> [String] {
        var notes = player?.end() ?? []
        events?.post(.end)
        // First, before the processes that the command left are ended, or close what they hold.
        wasObserved = observation?.end() ?? false
        endProgress()
        if wasObserved, let problem = observation?.record.problem { notes.append("\(problem)") }
        // The launcher has stayed outside.
        if end.exitStatus != 0, let outside = try? ListeningSockets.current(of: getppid()) {
            notes += [refusals.hint(outside)].compactMap { $0 }
        }
        return notes
    }

    /// Closes the control socket and its connections.
    public func stopServing() {
        server?.stop()
        server = nil
        endProgress()
        observation?.end()
    }

    private func endProgress() {
        progressSampler?.stop()
        progressSampler = nil
    }

    /// Names the processes that are not the command's.
    public func role(of process: CInt) -> String? {
        if process == uplink?.process {
            return "\(sandbox.uplinkProgram?.name ?? "the uplink"), which carries the uplink,"
        }
        if process == hostServices?.process { return "the relay to the host's ports" }
        if process == recorder?.process { return "lc-capture, which writes the capture," }
        if process == pump?.process {
            let isSilent = pumpWatch?.hasEndedPump == true
            return "lc-pump, which carries the conditions\(isSilent ? " and did not answer any more" : ""),"
        }
        return nil
    }

    /// The process that captures: it writes what the others did to their end.
    public var guardianPID: CInt? { recorder?.process }

    /// Ends the capture, and says if it is incomplete. Everything else ends with the namespaces.
    public func tearDown() -> [String] {
        guard sandbox.capture != nil, wasObserved || !sandbox.isObservedAtRequest else { return [] }
        defer { recorder = nil }
        return [recorder?.finish(), pump?.captureProblem()].compactMap { $0 }
    }
}
