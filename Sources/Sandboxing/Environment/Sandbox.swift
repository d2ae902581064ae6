// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
public import ClientObservation
import Glibc
public import LinkConditioning
internal import LinkProfiles
internal import LinuxSystem
internal import Netlink
internal import PacketPump
public import ProfileCatalog

/// A private network: a conditioned loopback and, unless offline, a conditioned uplink to the host's network.
public struct Sandbox: ExecutionEnvironment {
    private var request: RuleRequest?
    private let engine: Engine?
    private let log: String?
    private let uplinkProgram: UplinkProgram?
    private let hostPorts: HostPortChoice
    private let catalog: Catalog
    private let account: Account?
    /// Where to write the packets, and how; nil for nowhere.
    package var capture: RunCapture?
    /// What changes the conditions while the command runs; nil for nothing.
    package var scenario: SandboxScenario?
    /// An open file to which the events of the run are appended, a line each; nil for none. It must be closed on exec.
    package var events: CInt?

    /// The request as it would be without the observation, which chose the engine and the seed; nil if the user did.
    package var unobservedRequest: RuleRequest?

    /// Whether the caller shows the progress of the run.
    package var isWatched = false

    /// The capture of an observed run, for reading, with descriptors as `events`; nil if it is not observed.
    package var captureFile: CInt?

    /// Whether the run is observed only from a request at the control socket on, and not from its begin.
    package var isObservedAtRequest = false

    /// The events of the run, from the command's start on.
    package private(set) var runEvents: RunEvents?
    private var player: ScenarioPlayer?
    private var observation: RunObservation?
    private var progressSampler: ProgressSampler?
    /// Whether anything was observed, when the command has ended.
    private var wasObserved = false
    private var recorder: (any LaneRecorder)?
    private var uplink: Uplink?
    private var hostServices: HostServices?
    private var refusals: RefusedConnections?
    private var conditions: SandboxConditions?
    private var control: CInt?
    private var server: ControlServer.Running?
    private var pump: PumpProcess?
    private var pumpWatch: PumpWatch?
    /// Whether the command must find /proc/sys read-only, as it is outside.
    public private(set) var hasReadOnlySettings = false

    /// Describes a sandbox. Nothing is made yet.
    ///
    /// - Parameters:
    ///   - request: the conditions; nil for none until a switch.
    ///   - engine: the engine; nil to choose by the kernel and the request.
    ///   - log: the path of the packet log.
    ///   - uplinkProgram: the program for the uplink; nil for a sandbox that is offline.
    ///   - hostPorts: the services of the host's loopback to relay.
    ///   - catalog: the profiles that the control socket finds by name.
    ///   - account: the command's user; nil for the current user.
    public init(
        request: RuleRequest?,
        engine: Engine? = nil,
        log: String? = nil,
        uplinkProgram: UplinkProgram?,
        hostPorts: HostPortChoice,
        catalog: Catalog,
        account: Account?
    ) {
        self.request = request
        self.engine = engine
        self.log = log
        self.uplinkProgram = uplinkProgram
        self.hostPorts = hostPorts
        self.catalog = catalog
        self.account = account
    }

    /// Makes the namespaces and sets them up.
    public mutating func setUp(watching launcher: CInt) throws(SandboxError) -> [String] {
        let log = try log.map { path throws(SandboxError) in
            try OutputFile(path: path, account: account).open(.log)
        }
        let capture = try capture?.open(for: account)
        defer { for file in [log].compactMap({ $0 }) + (capture?.descriptors ?? []) { close(file) } }
        let settings = NetworkSettings.ofHost()
        let resolver = ProcFile("/etc/resolv.conf").lines
        hostServices = try HostServices.fork(hostPorts)
        if let uplinkProgram { uplink = try Uplink.fork(uplinkProgram) }
        let connection: RouteConnection
        (connection, hasReadOnlySettings) = try Self.moveIn(settings)
        uplink?.start()
        refusals = RefusedConnections()
        try hostServices?.open()
        control = try Self.makeFiles(user: account?.userID ?? geteuid())
        var notes = [uplinkProgram?.caveat].compactMap { $0 }
        if let uplink {
            if try !PrivateFiles.resolve(through: uplink.program.nameServer, host: resolver) {
                notes.append("there is no /etc/resolv.conf: names are not resolved in the sandbox")
            }
            try uplink.wait(connection, watching: launcher)
        } else {
            PrivateFiles.keepResolver(resolver)
        }
        let devices = ["lo"] + (uplink == nil ? [] : [UplinkProgram.interface])
        do {
            let conditioner = EphemeralConditioner(connection)
            let isRecorded = log != nil || capture != nil && !isObservedAtRequest
            let choice =
                if let request {
                    try conditioner.choose(requestOnEngine(request), on: devices, needsLog: isRecorded)
                } else {
                    conditioner.choose(for: engine ?? observableEngine, needsLog: isRecorded)
                }
            if let note = choice.note, request != nil { notes.append(note) }
            if let note = observationNote(conditioner, devices) { notes.append(note) }
            try scenario?.check(conditioner, choice.engine, on: devices)
            try setConditions(choice, on: devices, of: connection, log: log, capture: capture)
        } catch {
            throw SandboxError(error)
        }
        return notes
    }

    /// Says that the observation chose the engine, where the kernel's would have been chosen without it.
    private func observationNote(_ conditioner: EphemeralConditioner, _ devices: [String]) -> String? {
        guard let unobservedRequest else { return nil }
        let other = try? conditioner.choose(requestOnEngine(unobservedRequest), on: devices, needsLog: log != nil)
        return other?.engine == .netem ? EngineChoice.observationNote : nil
    }

    /// The userspace engine, if what the command does may have to be observed later.
    private var observableEngine: Engine? {
        isObservedAtRequest && EngineChoice.canMakeTaps ? .userspace : nil
    }

    /// The request on the userspace engine, if there are steps and no engine is named: that engine changes conditions
    /// without waiting for the lanes of the step before.
    private func requestOnEngine(_ request: RuleRequest) -> RuleRequest {
        var request = request
        if request.engine == nil, scenario?.steps.isEmpty == false, EngineChoice.canMakeTaps {
            request.engine = .userspace
        }
        return request
    }

    private mutating func setConditions(
        _ choice: EngineChoice,
        on devices: [String],
        of connection: RouteConnection,
        log: CInt?,
        capture: PumpCaptureStart?
    ) throws(ConditioningError) {
        let pumpSeesAll = self.capture != nil && choice.engine == .userspace && !isObservedAtRequest
        // Without conditions, nothing would see the packets.
        if pumpSeesAll { request = request ?? RuleRequest(profile: Profile(name: "no conditions"), engine: .userspace) }
        let selection = request?.selection ?? Selection()
        if choice.engine == .userspace {
            do {
                let pump = try PumpProcess.fork(
                    (request?.recordings ?? [:]).merging(scenario?.recordings ?? [:]) { first, _ in first },
                    ephemeralPorts: NetworkSettings.ephemeralPorts,
                    log: log,
                    capture: capture,
                    isRecording: !isObservedAtRequest
                )
                self.pump = pump
                // Not before Linux 5.3.
                pumpWatch = try? PumpWatch(pump)
            } catch {
                throw ConditioningError(.unsupported, error)
            }
        }
        var lanes: LaneCapture?
        if choice.engine == .netem, !isObservedAtRequest, let start = self.capture, let files = capture?.descriptors {
            lanes = try LaneCapture(start, files, of: devices, connection)
            recorder = lanes?.recorder
        }
        let conditions = SandboxConditions(
            connection,
            devices: devices,
            selection: selection,
            pump: pump,
            capture: lanes,
            seesAll: pumpSeesAll
        )
        self.conditions = conditions
        guard let request else { return try conditions.showOthers() }
        do {
            try EphemeralConditioner(connection).require(choice)
            try conditions.change(to: request.profile, seed: request.seed, plans: choice.plans)
        } catch {
            var error = error
            // Both engines may lack the same thing.
            if let reason = choice.reason, reason != error.message { error.message = "\(reason)\n\(error.message)" }
            error.remedy = error.remedy ?? "linkcond doctor"
            throw error
        }
        try conditions.showOthers()
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
    public mutating func serve() {
        pumpWatch?.start()
        let record = self.events.map { EventFile($0) }
        let observation = record.map { RunObservation(capture: captureFile, record: $0) }
        self.observation = observation
        if !isObservedAtRequest { observation?.begin(hasBegun: false) }
        let events = RunEvents(file: record)
        events.post(.begin)
        runEvents = events
        guard let control, let conditions else { return }
        var sandbox = ControlledSandbox(
            conditions: conditions,
            catalog: catalog,
            uplink: uplinkProgram?.name,
            supervisor: getpid()
        )
        sandbox.events = events
        sandbox.observation = observation
        let interface = uplink == nil ? nil : UplinkProgram.interface
        let player = ScenarioPlayer(scenario, conditions, events, uplink: interface)
        self.player = player
        sandbox.scenario = player
        if isWatched {
            progressSampler = ProgressSampler(player, conditions)
            progressSampler?.start()
        }
        server = ControlServer(sandbox: sandbox, users: [geteuid(), account?.userID ?? geteuid()]).serve(control)
    }

    /// What the last look found.
    public var progress: RunProgress? { progressSampler?.latest }

    /// Ends the scenario and the events, and says which steps never began, and what a failed command may have missed.
    public mutating func commandHasEnded(_ end: CommandEnd) -> [String] {
        var notes = player?.end() ?? []
        runEvents?.post(.end)
        // First, before the processes that the command left are ended, or close what they hold.
        wasObserved = observation?.end() ?? false
        progressSampler?.stop()
        progressSampler = nil
        if wasObserved, let problem = observation?.record.problem { notes.append("\(problem)") }
        // The launcher has stayed outside.
        if end.exitStatus != 0, let outside = try? ListeningSockets.current(of: getppid()) {
            notes += [refusals?.hint(outside)].compactMap { $0 }
        }
        return notes
    }

    /// Closes the control socket and its connections.
    public mutating func stopServing() {
        server?.stop()
        server = nil
        progressSampler?.stop()
        progressSampler = nil
        observation?.end()
    }

    /// Names the processes that are not the command's.
    public func role(of process: CInt) -> String? {
        if process == uplink?.process { return "\(uplinkProgram?.name ?? "the uplink"), which carries the uplink," }
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
    public mutating func tearDown() -> [String] {
        guard capture != nil, wasObserved || !isObservedAtRequest else { return [] }
        defer { recorder = nil }
        return [recorder?.finish(), pump?.captureProblem()].compactMap { $0 }
    }

    /// Does nothing: everything ends with the namespaces.
    public mutating func recover(from supervisor: CInt) {}
}
