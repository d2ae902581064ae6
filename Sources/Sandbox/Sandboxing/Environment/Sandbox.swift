// SPDX-License-Identifier: Apache-2.0

package import LinkConditioning
package import LinuxSystem
package import ProfileCatalog

/// The description of a private network: a conditioned loopback and, unless offline, a conditioned uplink to the host's
/// network. ``RunningSandbox`` is the network itself.
package struct Sandbox: ExecutionEnvironment, Sendable {
    /// The conditions; nil for none until a switch.
    package var conditions: RunConditions?
    /// The engine that the user named, for a sandbox without conditions; nil to choose one.
    package var engine: Engine?
    /// Whether the network has no uplink.
    package var isOffline: Bool
    /// The congestion control of the uplink's far end, which the kernel must have; nil for cubic, or the kernel's
    /// default.
    package var serverCongestion: String?
    /// Whether the sandbox stays until the data that its command has sent has arrived.
    package var drains = true
    /// Whether notes name the parts of the conditions that met no packet.
    package var notesMisses = true
    /// The services of the host's loopback to relay.
    package var hostPorts: HostPortChoice
    /// The path of the packet log; nil for none.
    package var log: String?
    /// The absolute path of the directory for the run's report; nil for none.
    package var report: String?
    /// The profiles that clients of the control socket may name.
    package var catalog: Catalog
    /// The file for the packets; nil for none.
    package var capture: RunCapture?
    /// Whether a note is wanted if the network never had conditions.
    package var needsConditions = false
    /// The time from which the packets are written.
    package var observation = Observation.fromStart(insteadOf: nil)
    /// The open files of a run that is, or may be, observed: the capture, for reading, and the file to which the events
    /// of the run are appended, a line each. They must be closed on exec.
    package var files: (capture: CInt, events: CInt)?
    /// Called in the supervisor if the launcher was killed, once the capture is written, to keep the capture for a
    /// reader.
    package var keepsEvidence: (@Sendable () -> Void)?
    /// The channel to the process that reads these files: the supervisor's end, which requests verdicts, and the other
    /// end.
    package var reader: (asking: MessageChannel, answering: MessageChannel)?
    /// Whether that process checks the expectations while the command runs.
    package var isFollowed = false
    /// The words of the run's command.
    package var command: [String] = []
    /// The options of the run, without its conditions and its seed, that clients tell as those that repeat it.
    package var repetition: [String] = []
    /// The expectations that the verdict on the run depends on, as text.
    package var expectations: [String] = []
    /// Whether the caller shows the progress of the run.
    package var isWatched = false

    /// The time from which the packets of a run are written, if they are written.
    package enum Observation: Sendable {
        /// From the command's start on. The value is the request as it would be without observation, if the observation
        /// has set the engine and the seed; nil if the user has.
        case fromStart(insteadOf: RuleRequest?)
        /// From a request at the control socket on.
        case atRequest
    }

    package init(
        _ conditions: RunConditions?,
        engine: Engine?,
        isOffline: Bool,
        hostPorts: HostPortChoice,
        log: String?,
        catalog: Catalog
    ) {
        (self.conditions, self.engine, self.isOffline) = (conditions, engine, isOffline)
        (self.hostPorts, self.log, self.catalog) = (hostPorts, log, catalog)
    }

    /// The congestion control that the uplink's far end has; nil without an uplink.
    package var farCongestionControl: String? {
        isOffline ? nil : serverCongestion ?? Uplink.usualCongestionControl
    }

    /// The interfaces that lead to the host's network.
    var uplinks: [String] {
        let paths = conditions?.paths.map(\.name) ?? []
        return isOffline ? [] : paths.isEmpty ? [Uplink.interface] : paths
    }

    /// The interfaces that are conditioned.
    var devices: [String] { ["lo"] + uplinks }

    /// Interfaces that have the same conditions, with their first conditions; nil for none.
    struct Link {
        /// The name of the interface, if each has conditions of its own; otherwise nil.
        var path: String?
        var devices: [String]
        var request: RuleRequest?
    }

    /// The interfaces, grouped by their conditions.
    var links: [Link] {
        let paths = conditions?.paths ?? []
        let first = initial(conditions?.request)
        guard !paths.isEmpty else { return [Link(devices: devices, request: first)] }
        return [Link(path: "lo", devices: ["lo"], request: first)]
            + paths.map { Link(path: $0.name, devices: [$0.name], request: initial($0.request)) }
    }

    /// Whether packets are written only from a request on.
    var isObservedAtRequest: Bool { if case .atRequest = observation { true } else { false } }

    /// Whether every packet goes through a lane from the start, so that the capture has all packets.
    var seesAll: Bool { capture != nil && !isObservedAtRequest }

    /// Whether every packet goes through a lane from the start: for the capture, or for the scenario.
    var carriesAll: Bool {
        let scenario = conditions?.scenario
        return seesAll || scenario?.changesNetwork == true || scenario?.endsOpenConnections == true
    }

    /// The initial form of a request, with the lanes that the run needs; nil for none.
    private func initial(_ request: RuleRequest?) -> RuleRequest? {
        let request = request.map(onEngine)
        guard carriesAll || request?.profile.needsEveryPacket == true else { return request }
        // Without conditions, nothing would see the packets.
        var first = request ?? RuleRequest(profile: .unconditioned, engine: engine ?? .userspace)
        first.profile = first.profile.withBothDirections
        return first
    }

    /// Chooses the engine, and plans the first conditions.
    func choose(_ conditioner: EphemeralConditioner) throws(ConditioningError) -> EngineChoice {
        let needsLog = log != nil || seesAll
        let links = links
        guard let request = links[0].request else {
            // A client may request observation later.
            let observable: Engine? = isObservedAtRequest && EngineChoice.canPumpLoopback ? .userspace : nil
            return conditioner.choose(for: engine ?? observable, needsLog: needsLog)
        }
        var unobserved: RuleRequest?
        if case .fromStart(let other?) = observation, log == nil { unobserved = onEngine(other) }
        let choice = try conditioner.choose(
            request,
            on: links[0].devices,
            needsLog: needsLog,
            insteadOf: unobserved
        )
        guard choice.engine == .netem, request.engine == nil else { return choice }
        func pumped(because reason: String?) throws(ConditioningError) -> EngineChoice {
            var pumped = request
            pumped.engine = .userspace
            return try conditioner.choose(pumped, on: links[0].devices).because(reason)
        }
        // One engine carries all links and rules: userspace, if one of them needs it.
        for link in links.dropFirst() {
            guard
                let own = try link.request.map({ request throws(ConditioningError) in
                    try conditioner.choose(request, on: link.devices)
                }), own.engine == .userspace
            else { continue }
            return try pumped(because: own.reason)
        }
        for rule in conditions?.rules ?? [] {
            let own = try conditioner.choose(rule, on: devices)
            guard own.engine == .userspace || rule.profile.lanes.isEmpty else { continue }
            return try pumped(because: own.reason ?? Self.untouched(rule))
        }
        return choice
    }

    /// The reason why netem cannot carry a rule without figures: the rule would have no lane, and other conditions
    /// would apply to its traffic.
    static func untouched(_ rule: RuleRequest) -> String {
        "netem cannot leave traffic untouched that other conditions are for: \(rule.selection.words)"
    }

    /// The request on the userspace engine, if there are steps and no engine is named: that engine changes conditions
    /// without waiting for the lanes of the step before.
    private func onEngine(_ request: RuleRequest) -> RuleRequest {
        var request = request
        if request.engine == nil, conditions?.scenario?.steps.isEmpty == false, EngineChoice.canPumpLoopback {
            request.engine = .userspace
        }
        return request
    }

    package func setUp(for account: Account?) throws(SandboxError) -> RunningSandbox {
        try RunningSandbox(self, for: account)
    }

    package var followsNameServers: Bool { !isOffline }

    /// Nil: everything ends with the namespaces.
    package var guardianPID: CInt? { nil }

    /// Does nothing: everything ends with the namespaces.
    package func recover(from supervisor: CInt) {}
}
