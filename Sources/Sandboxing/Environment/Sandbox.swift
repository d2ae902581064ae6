// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
public import LinkConditioning
internal import LinuxSystem
internal import Netlink
internal import PacketPump
public import ProfileCatalog

/// A private network: a conditioned loopback and, unless offline, a conditioned uplink to the host's network.
public struct Sandbox: ExecutionEnvironment {
    private let request: RuleRequest?
    private let engine: Engine?
    private let log: String?
    private let uplinkProgram: UplinkProgram?
    private let hostPorts: HostPortChoice
    private let catalog: Catalog
    private let account: Account?

    private var uplink: Uplink?
    private var hostServices: HostServices?
    private var conditions: SandboxConditions?
    private var control: CInt?
    private var pump: PumpProcess?

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
            let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC
            return try checked(open(path, flags, 0o666), "write the packet log \(path)")
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
            try uplink.wait(connection, watching: launcher)
        } else {
            PrivateFiles.keepResolver(resolver)
        }
        let devices = ["lo"] + (uplink == nil ? [] : [UplinkProgram.interface])
        do {
            let conditioner = EphemeralConditioner(connection)
            let choice =
                if let request {
                    try conditioner.choose(request, on: devices, needsLog: log != nil)
                } else {
                    conditioner.choose(for: engine, needsLog: log != nil)
                }
            if let note = choice.note, request != nil { notes.append(note) }
            try setConditions(choice, on: devices, of: connection, log: log)
        } catch {
            throw SandboxError(error)
        }
        return notes
    }

    private mutating func setConditions(
        _ choice: EngineChoice,
        on devices: [String],
        of connection: RouteConnection,
        log: CInt?
    ) throws(ConditioningError) {
        let selection = request?.selection ?? Selection()
        if choice.engine == .userspace {
            do {
                pump = try PumpProcess.fork(
                    request?.recordings ?? [:],
                    ephemeralPorts: NetworkSettings.ephemeralPorts,
                    log: log
                )
            } catch {
                throw ConditioningError(.unsupported, error)
            }
        }
        let conditions = SandboxConditions(connection, devices: devices, selection: selection, pump: pump)
        self.conditions = conditions
        guard let request else { return }
        do {
            try EphemeralConditioner(connection).require(choice)
            _ = try conditions.change(to: request.profile, seed: request.seed, plans: choice.plans)
        } catch {
            var error = error
            error.message = [choice.reason, error.message].compactMap { $0 }.joined(separator: "\n")
            error.remedy = error.remedy ?? "linkcond doctor"
            throw error
        }
    }

    /// Moves this process into a new network and sets that up.
    static func moveIn(_ settings: NetworkSettings) throws(SandboxError) -> RouteConnection {
        let namespaces = try NamespaceSet.enter()
        let connection = try RouteConnection.here()
        try settings.apply(connection, hasUserNamespace: namespaces.hasUser)
        return connection
    }

    /// Makes the files that only the sandbox sees; returns its control socket.
    static func makeFiles() throws(SandboxError) -> CInt {
        try PrivateFiles.mountDirectory()
        try PrivateFiles.hideResolvers()
        PrivateFiles.showInterfaces()
        return try ControlServer.listen(at: PrivateFiles.controlSocket)
    }

    /// Names the control socket.
    public var variables: [(name: String, value: String)] {
        [("LINKCOND_SOCKET", PrivateFiles.controlSocket)]
    }

    /// Serves the control socket.
    public mutating func serve() {
        guard let control, let conditions else { return }
        let sandbox = ControlledSandbox(
            conditions: conditions,
            catalog: catalog,
            uplink: uplinkProgram?.name,
            supervisor: getpid()
        )
        ControlServer(sandbox: sandbox, users: [geteuid(), account?.userID ?? geteuid()]).serve(control)
    }

    /// Names the processes that are not the command's.
    public func role(of process: CInt) -> String? {
        if process == uplink?.process { return "\(uplinkProgram?.name ?? "the uplink"), which carries the uplink," }
        if process == hostServices?.process { return "the relay to the host's ports" }
        if process == pump?.process { return "lc-pump, which carries the conditions," }
        return nil
    }

    /// None.
    public var guardianPID: CInt? { nil }

    /// Does nothing: everything ends with the namespaces.
    public mutating func tearDown() -> [String] { [] }

    /// Does nothing: everything ends with the namespaces.
    public mutating func recover(from supervisor: CInt) {}
}
