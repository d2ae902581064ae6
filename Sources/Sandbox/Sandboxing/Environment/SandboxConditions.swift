// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinkConditioning
internal import LinuxSystem
internal import Netlink
internal import PacketPump
internal import TrafficControl

/// The conditions of one sandbox, carried by one engine: a profile for its loopback and its uplink, or one for each of
/// its interfaces.
///
/// Used on a single thread: `ControlServer.serve` moves it from the thread that makes it to the one that changes
/// conditions.
final class SandboxConditions {
    let connection: RouteConnection
    let links: [ConditionedInterfaces]
    private let selection: Selection
    /// The process that carries the packets; nil if the kernel does.
    let pump: PumpProcess?
    private var loopback: LoopbackMTU?
    /// Whether every packet goes through a lane, so that a capture has all packets, and the network's state applies to
    /// all.
    private var seesAll: Bool
    /// The recordings that clients have sent: later conditions may name them, too.
    private var sent: Recordings = [:]
    /// Delays changes until the lanes of earlier conditions have drained.
    let changeQueue = ChangeQueue()
    /// The packet counts of conditions that are no longer in effect.
    var hits = ConditionsHits()
    /// The rules of the run, which have conditions of their own.
    var rules: [ConditionedInterfaces] = []
    /// The conditions so far, for a scenario that repeats them.
    var played = PlayedConditions(nil)
    /// Whether a client has taken the conditions out of effect, until it brings them back.
    var isSuspended = false
    /// The conditions in effect, for the display of the progress.
    let shown = ShownConditions()

    /// Conditions for interfaces of the network that `connection` leads to.
    init(
        _ connection: RouteConnection,
        _ links: [ConditionedInterfaces],
        selection: Selection,
        pump: PumpProcess?,
        loopback: LoopbackMTU? = nil,
        seesAll: Bool = false
    ) {
        (self.connection, self.links, self.selection) = (connection, links, selection)
        (self.pump, self.loopback, self.seesAll) = (pump, loopback, seesAll)
    }

    private var conditioner: EphemeralConditioner { EphemeralConditioner(connection, pump: pump) }
    var devices: [String] { links.flatMap(\.devices) }

    /// The traffic that the conditions are for, in words, as the run's options select it; nil for all.
    var traffic: String? { selection.isEverything ? nil : selection.words }

    /// The interfaces that have conditions of their own, for `path` parameters; empty if all have the same conditions.
    var paths: [String] { links.compactMap(\.path) }

    /// The interfaces that have conditions of their own; nil for all together.
    var pathsOrAll: [String?] { paths.isEmpty ? [nil] : paths.map(Optional.some) }

    /// The conditions in effect, or those that `suspend` has taken out of effect; nil before the first. `path` names
    /// the interface if each has conditions of its own.
    func current(on path: String? = nil) throws(ConditioningError) -> RuleRequest? {
        let link = try link(path)
        return link.suspended?.request ?? link.current?.request
    }

    func link(_ path: String?) throws(ConditioningError) -> ConditionedInterfaces {
        if let link = links.first(where: { $0.path == path }) { return link }
        let known = paths.joined(separator: ", ")
        throw ConditioningError(
            .ambiguous,
            path.map { "this sandbox has no interface '\($0)' with conditions of its own" }
                ?? "each interface of this sandbox has conditions of its own: name one of \(known), as with switch -i"
        )
    }

    /// Replaces the conditions in effect by those of `profile`. The old lanes must have drained
    /// (`ChangeQueue.whenDrained`). A failure leaves the conditions unchanged.
    ///
    /// While the conditions are suspended, those of a step are only remembered, for `resume`. Those of a client end the
    /// suspension: the client expects them to be in effect.
    ///
    /// - Parameters:
    ///   - path: the interface, if each has conditions of its own; otherwise nil.
    ///   - origin: who asks for the change.
    ///   - recordings: the recordings that a client has sent; the pump already has those of the run.
    ///   - plans: the plans of an `EngineChoice` for these conditions; made here if nil.
    /// - Returns: a time right before the conditions took effect, and so before their effects, such as reset
    ///   connections.
    @discardableResult
    func change(
        to profile: Profile,
        on path: String? = nil,
        by origin: ConditionsHits.Origin,
        _ recordings: Recordings = [:],
        seed: UInt64?,
        plans: [Plan]? = nil
    ) throws(ConditioningError) -> Instant {
        let link = try link(path)
        if link.uplink == nil, let key = profile.networkKeys.first {
            let reason = path.map { "\($0) is none" } ?? "this sandbox is offline"
            throw ConditioningError(
                .unsupported,
                "\"\(key)\" of \"\(profile.name)\" needs an uplink, and \(reason)",
                remedy: path == nil ? "it without --offline" : nil
            )
        }
        try link.uplink?.check(profile)
        let sent = sent.merging(recordings) { _, new in new }
        let request = RuleRequest(profile: profile, selection: selection, seed: seed, recordings: sent)
        if isSuspended, case .step = origin {
            link.suspended = (request, origin)
            return .now
        }
        let start = try put(request, on: link, by: origin, plans: plans)
        self.sent = sent
        if isSuspended {
            link.suspended = nil
            try resume()
        }
        return start
    }

    /// Replaces the conditions of a link by those of a request; returns a time right before they took effect.
    @discardableResult
    func put(
        _ asked: RuleRequest,
        on link: ConditionedInterfaces,
        by origin: ConditionsHits.Origin,
        plans: [Plan]? = nil
    ) throws(ConditioningError) -> Instant {
        let profile = seesAll || asked.profile.needsEveryPacket ? asked.profile.withBothDirections : asked.profile
        try loopback?.fit(profile, on: link.devices)
        var request = asked
        request.profile = profile
        request.engine = pump == nil ? .netem : .userspace
        let plans = if let plans { plans } else { try conditioner.plan(request, on: link.devices) }
        let replaced = link.current?.request
        let hits = hits(with: [link])
        let start = Instant.now
        let pending = try conditioner.apply(request, as: plans, on: link.devices, replacing: replaced)
        link.current = (request, plans.contains(where: \.hasLanes))
        self.hits = hits
        count(ConditionsHits.Conditions(origin: origin, path: link.path, profile: asked.profile), of: link, plans)
        let names = links.compactMap(\.profileName)
        shown.profileName = names.isEmpty ? nil : names.joined(separator: ", ")
        changeQueue.drain(pending)
        if let uplink = link.uplink, try uplink.use(profile) { try tell(of: uplink) }
        return start
    }

    /// Puts the conditions of a rule into effect on every device, beside those of the profile and for as long as the
    /// sandbox exists.
    func add(_ rule: RuleRequest) throws(ConditioningError) {
        var request = rule
        request.engine = pump == nil ? .netem : .userspace
        // Both directions get a lane, so that a capture has all packets, the network's state applies to all, and no
        // other rule gets the traffic that this rule leaves untouched.
        if pump != nil { request.profile = request.profile.withBothDirections }
        do throws(ConditioningError) {
            guard pump != nil || !rule.profile.lanes.isEmpty else {
                throw ConditioningError(.unsupported, Sandbox.untouched(rule))
            }
            try loopback?.fit(rule.profile, on: devices)
            let plans = try conditioner.plan(request, on: devices)
            _ = try conditioner.apply(request, as: plans, on: devices)
            let asked = ConditionsHits.Conditions(origin: .rule("\(rule.selection)"), profile: rule.profile)
            let added = ConditionedInterfaces(nil, devices, [])
            added.current = (request, plans.contains(where: \.hasLanes))
            rules.append(added)
            count(asked, of: added, plans)
        } catch {
            var error = error
            error.message = "rule '\(rule.selection)': \(error.message)"
            throw error
        }
    }

    /// Drops the queued packets that the link received before the last change.
    func dropQueued(on path: String?) throws(ConditioningError) {
        let link = try link(path)
        try pump?.dropQueued(on: link.devices, isConditioning: link.current?.hasLanes ?? false)
    }

    /// Has the pump record every packet from now on, unless it does already. The old lanes must have drained.
    func record() throws(ConditioningError) {
        try checkRecording()
        guard !seesAll else { return }
        seesAll = true
        do {
            // From now on, directions without conditions go through a lane, too.
            for link in links {
                let request = link.current?.request ?? RuleRequest(profile: .unconditioned, selection: selection)
                try put(request, on: link, by: link.counted?.conditions.origin ?? .start)
            }
        } catch {
            seesAll = false
            throw error
        }
    }

    /// Has the pump record, and throws the reason if not all packets are recorded.
    func checkRecording() throws(ConditioningError) {
        guard let pump else {
            throw ConditioningError(.unsupported, "netem carries the packets, and does not tell what becomes of each")
        }
        try pump.record()
    }

    /// Prepares the sandbox for `scenario`, or throws the reason why a step of the scenario is not possible.
    func prepare(for scenario: SandboxScenario) throws(ConditioningError) {
        for step in scenario.steps {
            let link = try link(step.path)
            try link.uplink?.check(step.request.profile)
            try step.check(
                conditioner,
                pump == nil ? .netem : .userspace,
                on: link.devices,
                hasUplink: link.uplink != nil
            )
        }
        guard scenario.changesNetwork || scenario.endsOpenConnections else { return }
        for step in scenario.steps { try link(step.path).uplink?.prepare(for: step.changes) }
        seesAll = true
    }

    /// The rules in effect with their counters, without the sandbox itself, and the names of the profiles, if any.
    func report() throws(ConditioningError) -> (report: StatusReport, profile: String?) {
        var report = try conditioner.status()
        report.suspended = suspended
        let names = links.compactMap { link in
            // Root may have changed the conditions by `apply` or `reset`. A profile without impairments has no lanes.
            let rules = report.devices.lazy.filter { link.devices.contains($0.interface) }.flatMap(\.rules)
            let rule = rules.first { $0.traffic == self.selection }
            let bare = link.current.flatMap { $0.hasLanes ? nil : $0.request.profile.name }
            return (rule?.profile ?? bare).map { link.named($0) }
        }
        return (report, names.isEmpty ? nil : names.joined(separator: ", "))
    }
}
