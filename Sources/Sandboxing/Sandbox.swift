// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
public import LinkConditioning
internal import Netlink
public import ProfileCatalog

/// A network of the command's own: a conditioned loopback and, unless offline, a conditioned uplink to the host's.
public struct Sandbox: Surroundings {
    private let request: RuleRequest?
    private let uplinkProgram: UplinkProgram?
    private let hostPorts: HostPortChoice
    private let catalog: Catalog
    private let account: Account?

    private var uplink: Uplink?
    private var hostServices: HostServices?
    private var conditions: Conditions?
    private var control: CInt?

    /// Describes a sandbox; nothing is made yet.
    ///
    /// `request` is nil where there are no conditions until a switch, `uplinkProgram` for a sandbox that is offline;
    /// `catalog` is where the control socket looks for names.
    public init(
        request: RuleRequest?,
        uplinkProgram: UplinkProgram?,
        hostPorts: HostPortChoice,
        catalog: Catalog,
        account: Account?
    ) {
        self.request = request
        self.uplinkProgram = uplinkProgram
        self.hostPorts = hostPorts
        self.catalog = catalog
        self.account = account
    }

    /// Makes the namespaces and what is in them.
    public mutating func enter(watching front: CInt) throws(SandboxError) -> [String] {
        let settings = NetworkSettings.ofHost()
        let resolver = Setting("/etc/resolv.conf").lines
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
        let conditions = Conditions(
            connection,
            devices: ["lo"] + (uplink == nil ? [] : [UplinkProgram.interface]),
            selection: request?.selection ?? Selection()
        )
        self.conditions = conditions
        do {
            if let request { _ = try conditions.change(to: request.profile, seed: request.seed) }
        } catch {
            throw SandboxError(error)
        }
        return notes
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
        return nil
    }

    /// Nothing: all of it ends with the namespaces.
    public mutating func leave() -> [String] { [] }

    /// Nothing: all of it ends with the namespaces.
    public mutating func forsake(keeper: CInt) {}
}
