// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LinkConditioning
internal import LinuxSystem
internal import PacketPump
public import ProfileCatalog

/// The description of a private network: a conditioned loopback and, unless offline, a conditioned uplink to the host's
/// network. ``RunningSandbox`` is the network itself.
public struct Sandbox: ExecutionEnvironment {
    /// The conditions; nil for none until a switch.
    let request: RuleRequest?
    /// The engine for later conditions; nil to choose by the kernel.
    let engine: Engine?
    /// The path of the packet log.
    let log: String?
    /// The program for the uplink; nil if offline.
    let uplinkProgram: UplinkProgram?
    /// The services of the host's loopback to relay.
    let hostPorts: HostPortChoice
    /// The profiles that the control socket finds by name.
    let catalog: Catalog
    /// The command's user; nil for the current user.
    let account: Account?
    /// Where to write the packets, and how; nil for nowhere.
    package var capture: RunCapture?
    /// From when on the packets are written.
    package var observation = Observation.fromStart(insteadOf: nil)
    /// What changes the conditions while the command runs; nil for nothing.
    package var scenario: SandboxScenario?
    /// An open file to which the events of the run are appended, a line each; nil for none. It must be closed on exec.
    package var events: CInt?
    /// Whether the caller shows the progress of the run.
    package var isWatched = false
    /// The capture of an observed run, for reading, with descriptors as `events`; nil if it is not observed.
    package var captureFile: CInt?

    /// From when on the packets of a run are written, if they are.
    package enum Observation: Sendable {
        /// From the command's start on. Holds the request as it would be without the observation, which chose the engine
        /// and the seed; nil if the user did.
        case fromStart(insteadOf: RuleRequest?)
        /// From a request at the control socket on.
        case atRequest
    }

    /// Describes a sandbox.
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

    /// The interfaces that are conditioned.
    var devices: [String] { ["lo"] + (uplinkProgram == nil ? [] : [UplinkProgram.interface]) }

    /// Whether packets are written only from a request on.
    var isObservedAtRequest: Bool { if case .atRequest = observation { true } else { false } }

    /// Whether every packet goes through a lane from the start, so that the capture has them all.
    var seesAll: Bool { capture != nil && !isObservedAtRequest }

    /// The conditions to begin with; nil for none.
    var firstRequest: RuleRequest? {
        guard seesAll else { return request.map(onEngine) }
        // Without conditions, nothing would see the packets.
        var first =
            request.map(onEngine)
            ?? RuleRequest(profile: Profile(name: "no conditions"), engine: engine ?? .userspace)
        first.profile = first.profile.withBothDirections
        return first
    }

    /// Chooses the engine, and plans the conditions to begin with.
    func choose(_ conditioner: EphemeralConditioner) throws(ConditioningError) -> EngineChoice {
        let needsLog = log != nil || capture != nil && !isObservedAtRequest
        guard let request = firstRequest else {
            // What the command does may have to be observed later.
            let observable: Engine? = isObservedAtRequest && EngineChoice.canMakeTaps ? .userspace : nil
            return conditioner.choose(for: engine ?? observable, needsLog: needsLog)
        }
        var unobserved: RuleRequest?
        if case .fromStart(let other?) = observation, log == nil { unobserved = onEngine(other) }
        return try conditioner.choose(request, on: devices, needsLog: needsLog, insteadOf: unobserved)
    }

    /// The request on the userspace engine, if there are steps and no engine is named: that engine changes conditions
    /// without waiting for the lanes of the step before.
    private func onEngine(_ request: RuleRequest) -> RuleRequest {
        var request = request
        if request.engine == nil, scenario?.steps.isEmpty == false, EngineChoice.canMakeTaps {
            request.engine = .userspace
        }
        return request
    }

    /// Makes the namespaces and sets them up.
    public mutating func setUp(
        watching launcher: CInt
    ) throws(SandboxError) -> (running: RunningSandbox, notes: [String]) {
        var notes: [String] = []
        let running = try RunningSandbox(self, watching: launcher, &notes)
        return (running, notes)
    }

    /// Nil: everything ends with the namespaces.
    public var guardianPID: CInt? { nil }

    /// Does nothing: everything ends with the namespaces.
    public mutating func recover(from supervisor: CInt) {}
}
