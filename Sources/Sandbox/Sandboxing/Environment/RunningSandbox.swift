// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import ClientVerdicts
internal import Gateway
import Glibc
package import LinkConditioning
internal import LinuxSystem
internal import Netlink
internal import PacketPump
internal import SocketServing
internal import Synchronization

/// A sandbox that was made: the processes and threads of a private network. Used by the process that has made it.
package final class RunningSandbox: RunningEnvironment {
    package private(set) var notes: [ConditioningNote] = []
    let sandbox: Sandbox
    /// The command's user.
    private let user: uid_t
    var uplink: Uplink?
    let hostServices: HostServices?
    private let refusals: RefusedConnections
    private let control: CInt
    /// The conditions; nil once the thread that changes them has them.
    private let prepared: Mutex<SandboxConditions?>
    /// Whether the conditions lose all data or all acknowledgements, read when the command has ended.
    var losesEverything = false
    let pump: PumpProcess?
    let pumpWatch: PumpWatch?
    /// The watches of the uplink's processes, by their IDs.
    var forwarderWatches: [CInt: ForwarderWatch] = [:]
    /// Whether the pump has a veth pair instead of a TAP device.
    private let usesVeth: Bool
    var recorder: RunCapture.LaneRecorder?
    package let hasReadOnlySettings: Bool

    var events: RunEvents?
    private var observation: RunObservation?
    private var progressSampler: ProgressSampler?
    private var server: ControlServer.Running?
    /// Whether anything was observed, when the command has ended.
    private var wasObserved = false
    /// The counts of the conditions' parts, once the command has ended.
    private var parts: [ConditionsPart] = []

    /// Makes the namespaces that `sandbox` describes, and sets them up.
    init(_ sandbox: Sandbox, for account: Account?) throws(SandboxError) {
        guard !sandbox.isOffline || sandbox.conditions?.paths.isEmpty != false else {
            throw SandboxError("the scenario gives the command uplinks", remedy: "it without --offline")
        }
        self.sandbox = sandbox
        user = account?.userID ?? geteuid()
        let log = try sandbox.log.map { path throws(SandboxError) in
            try OutputFile.log.open(path, for: account)
        }
        let capture = try sandbox.capture?.open(for: account)
        defer { for file in [log].compactMap({ $0 }) + (capture?.descriptors ?? []) { close(file) } }
        let settings = NetworkSettings.ofHost()
        let resolver = ProcFile("/etc/resolv.conf").lines
        hostServices = try HostServices.fork(sandbox.hostPorts)
        uplink = sandbox.isOffline ? nil : try Uplink.fork(sandbox.uplinks, congestionControl: sandbox.serverCongestion)
        let connection: RouteConnection
        (connection, hasReadOnlySettings) = try Self.moveIn(settings)
        refusals = RefusedConnections()
        try hostServices?.open()
        control = try Self.makeFiles(user: user)
        var uplinks: [UplinkDevice] = []
        if let uplink {
            let opened = try uplink.open(connection)
            (uplinks, notes) = (opened.devices, notes + opened.notes)
        } else {
            PrivateFiles.keepResolver(resolver)
        }
        do {
            let conditioner = EphemeralConditioner(connection)
            var loopback = LoopbackMTU(connection)
            try loopback.prepare(for: sandbox)
            let choice = try sandbox.choose(conditioner)
            if choice.engine == .netem { try loopback.restore() }
            if let note = choice.note, sandbox.conditions != nil {
                notes.append(ConditioningNote(note, isDetail: true))
            }
            let pump = choice.engine == .userspace ? try Self.startPump(sandbox, log: log, capture) : nil
            self.pump = pump
            usesVeth = pump != nil && uplink == nil && TapDevice.accessProblem != nil
            if usesVeth, sandbox.links[0].request != nil { notes.append(Self.vethNote) }
            // Not before Linux 5.3.
            pumpWatch = pump.flatMap { try? PumpWatch($0) }
            if choice.engine == .netem, sandbox.seesAll, let start = sandbox.capture?.startLanes, let capture {
                recorder = try Self.startRecorder(start, capture.descriptors, of: sandbox.devices, connection)
            }
            if let recorder { notes.append(ConditioningNote(recorder.caveat)) }
            let conditions = SandboxConditions(
                connection,
                sandbox.links.map { ConditionedInterfaces($0.path, $0.devices, uplinks) },
                selection: sandbox.conditions?.request.selection ?? Selection(),
                pump: pump,
                loopback: loopback,
                seesAll: sandbox.carriesAll
            )
            conditions.played = PlayedConditions(sandbox.conditions)
            if let scenario = sandbox.conditions?.scenario { try conditions.prepare(for: scenario) }
            try Self.begin(sandbox.links, choice, conditions, conditioner)
            for rule in sandbox.conditions?.rules ?? [] { try conditions.add(rule) }
            prepared = Mutex(conditions)
        } catch {
            throw SandboxError(error)
        }
    }

    private static let vethNote: ConditioningNote = """
        without \(TapDevice.controlPath), packets go through a veth pair, which carries less than a TAP device
        """

    private static let goodNote = """
        the network had no conditions: name a profile, as in "linkcond run 3g -- COMMAND", or type "linkcond switch 3g" \
        inside
        """

    /// Each connection has a socket to the server, and one in the gateway's network.
    private static let limitNote = """
        the uplink could not open all connections: it needs two files for each, and may open as many as "ulimit -Hn" says
        """

    package var variables: [(name: String, value: String)] {
        [("LINKCOND_SOCKET", PrivateFiles.controlSocket), (RunClock.variable, "\(RunClock.origin)")]
            + (sandbox.report.map { [("LINKCOND_REPORT", $0)] } ?? [])
    }

    /// Serves the control socket, watches the pump, and begins the scenario.
    package func serve(since start: Instant, besides helper: CInt?) {
        pumpWatch?.start()
        observation = sandbox.files.map { RunObservation(capture: $0.capture, record: EventFile($0.events)) }
        if !sandbox.isObservedAtRequest { observation?.begin(hasBegun: false) }
        let events = RunEvents(file: observation?.record)
        events.post(.begin, at: start)
        self.events = events
        watchUplink(events)
        let prepared = prepared.withLock { prepared in
            let conditions = prepared
            prepared = nil
            return conditions
        }
        guard let conditions = prepared else { preconditionFailure("the control socket is served twice") }
        let player = ScenarioPlayer(sandbox.conditions?.scenario, conditions, events, uplinks: sandbox.uplinks)
        if sandbox.isWatched {
            progressSampler = ProgressSampler(conditions.shown, pump)
            progressSampler?.start()
        }
        let controlled = ControlledSandbox(
            conditions: conditions,
            catalog: sandbox.catalog,
            uplink: uplink == nil ? nil : Self.gatewayName,
            supervisor: getpid(),
            events: events,
            scenario: player,
            observation: observation,
            reader: sandbox.reader?.asking,
            intent: RunIntent(
                profile: sandbox.conditions?.profileName,
                seed: sandbox.conditions?.request.seed,
                command: sandbox.command,
                repetition: sandbox.repetition,
                expectations: sandbox.expectations
            ),
            helpers: forwarders.union([helper, recorder?.process].compactMap { $0 })
        )
        sandbox.reader?.answering.close()
        server = ControlServer.serve(
            control,
            for: controlled,
            users: [geteuid(), user],
            isFollowed: sandbox.isFollowed
        )
    }

    private func watchUplink(_ events: RunEvents) {
        guard let gateway = uplink?.gateway else { return }
        for (process, heartbeat) in [
            (gateway.gateway, gateway.heartbeats.gateway), (gateway.opener, gateway.heartbeats.opener),
        ] {
            guard let role = role(of: process) else { continue }
            let watch = ForwarderWatch(heartbeat) { events.post(.forwarder(role, $0), at: $1) }
            watch.start()
            forwarderWatches[process] = watch
        }
    }

    package func nameServersHaveChanged(_ lines: [String]) {
        guard let (addresses, inside) = uplink?.use(resolver: lines) else { return }
        server?.sandbox.execute { $0.conditions.use(addresses, resolverLines: inside) }
    }

    package var progress: RunProgress? { progressSampler?.latest }

    /// Ends the scenario and the events. Returns notes: steps that never began, and host ports that a failed command
    /// may need.
    package func commandHasEnded(_ end: CommandEnd) -> [String] {
        var notes = server?.sandbox.perform { $0.scenario?.end() ?? [] } ?? []
        if sandbox.needsConditions, server?.sandbox.perform({ (try? $0.conditions.current()) == nil }) == true {
            notes.append(Self.goodNote)
        }
        for (process, watch) in forwarderWatches where watch.finish() {
            notes.append("\(role(of: process) ?? "the uplink") did not answer for a time while the command ran")
        }
        if uplink?.gateway.hasReachedLimit == true { notes.append(Self.limitNote) }
        events?.post(.end)
        // Before the processes that the command left are ended, or close their sockets.
        wasObserved = observation?.end() ?? false
        endProgress()
        if wasObserved, let problem = observation?.record.problem { notes.append("\(problem)") }
        // The launcher is the parent, in the host's network.
        if end.exitStatus != 0, let outside = try? ListeningSockets.current(of: getppid()) {
            notes += [refusals.hint(outside)].compactMap { $0 }
        }
        if end.exitStatus != 0, uplink == nil, UnroutedPackets.count > 0 {
            notes.append("with --offline, the command has no network but loopback, and it tried to reach another host")
        }
        return notes
    }

    package var forwarders: Set<CInt> {
        Set([pump?.process, uplink?.gateway.gateway, uplink?.gateway.opener, hostServices?.process].compactMap { $0 })
    }

    package func stopServing() {
        // Without a server, no command has begun.
        guard let server else { return }
        if let ended = server.sandbox.perform({ ($0.conditions.parts, $0.conditions.losesEverything) }) {
            (parts, losesEverything) = ended
        }
        server.stop()
        self.server = nil
        endProgress()
        observation?.end()
        for part in parts { events?.post(.part(part)) }
    }

    private func endProgress() {
        progressSampler?.stop()
        progressSampler = nil
    }

    package func keepEvidence() { sandbox.keepsEvidence?() }

    /// The process that captures: it ends last, since it writes the packets of all others.
    package var guardianPID: CInt? { recorder?.process }

    /// Ends the capture and the log; returns notes if one is incomplete. Everything else ends with the namespaces.
    package func tearDown() -> [String] { misses + endRecords() }

    /// Notes about parts of the conditions that met no packet; empty if a report has them.
    private var misses: [String] {
        guard sandbox.notesMisses, sandbox.keepsEvidence == nil else { return [] }
        let misses = parts.compactMap { $0.isRequestedInside ? nil : $0.missSentence }
        let more = misses.count - Self.maximumMisses
        return misses.prefix(Self.maximumMisses)
            + (more > 0 ? ["\(more) more parts of the conditions met no packet"] : [])
    }

    private static let maximumMisses = 8

    private func endRecords() -> [String] {
        let isCaptured = sandbox.capture != nil && (wasObserved || !sandbox.isObservedAtRequest)
        guard isCaptured || usesVeth || sandbox.log != nil else { return [] }
        defer { recorder = nil }
        let end = pump?.captureEnd()
        if let recorded = end?.recorded { events?.post(.recorded(recorded)) }
        return [recorder?.finish(), end?.problem].compactMap { $0 }
    }
}
