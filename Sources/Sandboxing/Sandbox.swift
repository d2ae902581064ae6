// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
public import LinkConditioning
internal import LinuxSystem
internal import Netlink
public import ProfileCatalog

/// A network of the command's own: a conditioned loopback and, unless offline, a conditioned uplink to the host's.
public struct Sandbox: Surroundings {
    private let request: RuleRequest?
    private let engine: Engine?
    private let recordings: Recordings
    private let log: String?
    private let uplinkProgram: UplinkProgram?
    private let hostPorts: HostPortChoice
    private let catalog: Catalog
    private let account: Account?

    private var uplink: Uplink?
    private var hostServices: HostServices?
    private var conditions: Conditions?
    private var control: CInt?
    private var pump: SandboxPump?

    /// Describes a sandbox; nothing is made yet.
    ///
    /// `request` is nil where there are no conditions until a switch, `uplinkProgram` for a sandbox that is offline;
    /// `engine` is nil where the kernel and the request decide, `recordings` are those that the request's profile names, `log` is the path at which each packet's fate is
    /// written, `catalog` is where the control socket looks for names.
    public init(
        request: RuleRequest?,
        engine: Engine? = nil,
        recordings: Recordings = [:],
        log: String? = nil,
        uplinkProgram: UplinkProgram?,
        hostPorts: HostPortChoice,
        catalog: Catalog,
        account: Account?
    ) {
        self.request = request
        self.engine = engine
        self.recordings = recordings
        self.log = log
        self.uplinkProgram = uplinkProgram
        self.hostPorts = hostPorts
        self.catalog = catalog
        self.account = account
    }

    /// Makes the namespaces and what is in them.
    public mutating func enter(watching front: CInt) throws(SandboxError) -> [String] {
        let log = try log.map { path throws(SandboxError) in
            let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC
            return try checked(open(path, flags, 0o666), "write the packets' log \(path)")
        }
        defer { if let log { close(log) } }
        let settings = NetworkSettings.ofHost()
        let resolver = ProcFile("/etc/resolv.conf").lines
        hostServices = try HostServices.fork(hostPorts)
        if let uplinkProgram { uplink = try Uplink.fork(uplinkProgram) }
        let connection = try Self.moveIn(settings)
        uplink?.start()
        try hostServices?.open()
        control = try Self.makeFiles()
        var notes = [uplinkProgram?.caveat].compactMap { $0 }
        if let uplink {
            if try !PrivateFiles.resolve(through: uplink.program.nameServer, host: resolver) {
                notes.append("there is no /etc/resolv.conf: names are not resolved in the sandbox")
            }
            try uplink.wait(connection, watching: front)
        } else {
            PrivateFiles.keepResolver(resolver)
        }
        let devices = ["lo"] + (uplink == nil ? [] : [UplinkProgram.interface])
        do {
            let choice = try choice(connection, devices, needsLog: log != nil)
            if let note = choice.note, request != nil { notes.append(note) }
            try setConditions(choice, connection, devices, log)
        } catch {
            throw SandboxError(error)
        }
        return notes
    }

    private func choice(
        _ connection: RouteConnection,
        _ devices: [String],
        needsLog: Bool
    ) throws(ConditioningError) -> EngineChoice {
        var planners: [Planner] = []
        for device in devices {
            do {
                let state = try Inspector(connection).device(named: device)
                planners.append(Planner(state, .current(), portsTellOpener: true))
            } catch {
                throw ConditioningError(error)
            }
        }
        return EngineChoice(engine, request, planners, Conditioner(connection), needsLog: needsLog)
    }

    private mutating func setConditions(
        _ choice: EngineChoice,
        _ connection: RouteConnection,
        _ devices: [String],
        _ log: CInt?
    ) throws(ConditioningError) {
        let selection = request?.selection ?? Selection()
        do throws(SandboxError) {
            if choice.engine == .userspace { pump = try SandboxPump.fork(recordings, log: log) }
        } catch {
            throw ConditioningError(.unsupported, error.message, remedy: error.remedy)
        }
        let conditions = Conditions(connection, devices: devices, selection: selection, pump: pump)
        self.conditions = conditions
        guard let request else { return }
        do {
            _ = try conditions.change(to: request.profile, seed: request.seed)
        } catch {
            var error = error
            error.message = [choice.reason, error.message].compactMap { $0 }.joined(separator: "\n")
            error.remedy = error.remedy ?? "linkcond doctor"
            throw error
        }
    }

    /// Moves this process into a network of its own, and brings that to life.
    static func moveIn(_ settings: NetworkSettings) throws(SandboxError) -> RouteConnection {
        let namespaces = try NamespaceSet.enter()
        let connection = try RouteConnection.here()
        try settings.apply(connection, hasUserNamespace: namespaces.hasUser)
        return connection
    }

    /// Makes the files that only the sandbox sees; gives its control socket.
    static func makeFiles() throws(SandboxError) -> CInt {
        try PrivateFiles.mountDirectory()
        try PrivateFiles.hideResolvers()
        PrivateFiles.showInterfaces()
        return try ControlServer.listen(at: PrivateFiles.controlSocket)
    }

    /// Tells the command where its sandbox can be spoken to.
    public var environment: [(name: String, value: String)] {
        [("LINKCOND_SOCKET", PrivateFiles.controlSocket)]
    }

    /// Answers at the control socket from now on.
    public mutating func serve() {
        guard let control, let conditions else { return }
        let sandbox = ControlledSandbox(
            conditions: conditions,
            catalog: catalog,
            uplink: uplinkProgram?.name,
            keeper: getpid()
        )
        ControlServer(sandbox: sandbox, users: [geteuid(), account?.userID ?? geteuid()]).serve(control)
    }

    /// Names the processes beside the command's own.
    public func duty(of process: CInt) -> String? {
        if process == uplink?.process { return "\(uplinkProgram?.name ?? "the uplink"), which carries the uplink," }
        if process == hostServices?.process { return "the relay to the host's ports" }
        if process == pump?.process { return "lc-pump, which carries the conditions," }
        return nil
    }

    /// None.
    public var attendant: CInt? { nil }

    /// Nothing: all of it ends with the namespaces.
    public mutating func leave() -> [String] { [] }

    /// Nothing: all of it ends with the namespaces.
    public mutating func forsake(keeper: CInt) {}
}
