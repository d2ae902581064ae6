// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import Netlink
internal import PacketPump
internal import Synchronization
internal import TrafficControl

/// The conditions of one sandbox: one profile for its loopback and its uplink, carried by one engine.
final class SandboxConditions {
    private let connection: RouteConnection
    private let devices: [String]
    private let selection: Selection
    /// The process that carries the packets; nil if the kernel does.
    let pump: PumpProcess?
    /// Whether every packet goes through a lane, so that a capture has them all, and the network's state applies to all.
    private var seesAll: Bool
    /// The recordings that clients have sent: later conditions may name them, too.
    private var sent: Recordings = [:]
    /// The interface of the uplink; nil if offline.
    private let uplink: UplinkDevice?
    /// The lanes of earlier conditions.
    let oldLanes = OldLanes()
    /// The conditions in effect; nil before the first.
    private(set) var current: (request: RuleRequest, hasLanes: Bool)? {
        didSet { profileName.withLock { $0 = current?.request.profile.name } }
    }
    /// The name of the profile in effect, for any thread.
    let profileName = Mutex<String?>(nil)

    /// Conditions for `devices` of the network that `connection` leads to.
    init(
        _ connection: RouteConnection,
        devices: [String],
        selection: Selection,
        pump: PumpProcess?,
        seesAll: Bool = false,
        uplink: UplinkDevice? = nil
    ) {
        (self.connection, self.devices, self.selection) = (connection, devices, selection)
        (self.pump, self.seesAll, self.uplink) = (pump, seesAll, uplink)
    }

    private var conditioner: EphemeralConditioner { EphemeralConditioner(connection) }

    /// Replaces the conditions in effect by those of `profile`, on every device. The old lanes must have drained
    /// (`OldLanes.whenDrained`). A failure leaves the conditions unchanged.
    ///
    /// - Parameters:
    ///   - recordings: those that a client has sent; the pump knows the run's own.
    ///   - plans: the plans of an `EngineChoice` for these conditions; made here if nil.
    func change(
        to profile: Profile,
        _ recordings: Recordings = [:],
        seed: UInt64?,
        plans: [Plan]? = nil
    ) throws(ConditioningError) {
        if uplink == nil, let key = profile.networkKeys.first {
            throw ConditioningError(
                .unsupported,
                "\"\(key)\" of \"\(profile.name)\" needs an uplink, and this sandbox is offline",
                remedy: "it without --offline"
            )
        }
        let profile = seesAll || profile.needsEveryPacket ? profile.withBothDirections : profile
        let sent = sent.merging(recordings) { _, new in new }
        var request = RuleRequest(profile: profile, selection: selection, seed: seed, recordings: sent)
        request.engine = pump == nil ? .netem : .userspace
        let plans = if let plans { plans } else { try conditioner.plan(request, on: devices) }
        let replaced = current?.request
        let pending = try conditioner.apply(request, as: plans, on: devices, pump: pump, replacing: replaced)
        current = (request, plans.contains(where: \.hasLanes))
        self.sent = sent
        oldLanes.drain(pending)
        if let uplink, try uplink.use(profile) { try pump?.use(uplink.state, for: Uplink.interface) }
    }

    /// Puts the conditions of a rule into effect on every device, beside those of the profile and for as long as the sandbox
    /// exists.
    func add(_ rule: RuleRequest) throws(ConditioningError) {
        var request = rule
        request.engine = pump == nil ? .netem : .userspace
        // A capture has all packets, the network's state applies to all, and what is left untouched is no other rule's.
        if pump != nil { request.profile = request.profile.withBothDirections }
        do throws(ConditioningError) {
            guard pump != nil || !rule.profile.lanes.isEmpty else {
                throw ConditioningError(.unsupported, Sandbox.untouched(rule))
            }
            let plans = try conditioner.plan(request, on: devices)
            _ = try conditioner.apply(request, as: plans, on: devices, pump: pump)
        } catch {
            var error = error
            error.message = "rule '\(rule.selection)': \(error.message)"
            throw error
        }
    }

    /// Drops what the link holds of the packets that came before the last change.
    func dropQueued() throws(ConditioningError) { try pump?.dropQueued(isConditioning: current?.hasLanes ?? false) }

    /// Has the pump record every packet from now on, if it does not yet. The old lanes must have drained.
    func record() throws(ConditioningError) {
        try checkRecording()
        guard !seesAll else { return }
        seesAll = true
        do {
            // From now on, what needs no lane goes through one, too.
            let profile = current?.request.profile ?? .unconditioned
            try change(to: profile, seed: current?.request.seed)
        } catch {
            seesAll = false
            throw error
        }
    }

    /// Has the pump record, and throws the reason why not all packets are recorded.
    func checkRecording() throws(ConditioningError) {
        guard let pump else {
            throw ConditioningError(.unsupported, "netem carries the packets, and does not tell what becomes of each")
        }
        try pump.record()
    }

    /// Prepares the sandbox for `scenario`, and throws the reason why one of its steps cannot be carried.
    func prepare(for scenario: SandboxScenario) throws(ConditioningError) {
        try scenario.check(conditioner, pump == nil ? .netem : .userspace, on: devices)
        guard scenario.changesNetwork else { return }
        for step in scenario.steps { try uplink?.prepare(for: step.changes) }
        seesAll = true
    }

    /// Changes the uplink's network; returns the changes in words.
    func change(_ changes: NetworkChanges) throws(ConditioningError) -> [String] {
        guard !changes.isEmpty, let uplink else { return [] }
        var words: [String] = []
        if changes.address != nil || changes.handOver != nil {
            let overlap = changes.handOver?.overlap
            let addresses = try uplink.renumber(keepsOld: overlap != nil).map(\.description)
            try pump?.use(uplink.state, for: Uplink.interface)
            let rest = overlap.map { ", the old one for \($0.text)" } ?? ""
            words.append("address \(addresses.joined(separator: ", "))\(rest)")
        }
        if changes.nat != nil {
            uplink.rebind()
            try pump?.use(uplink.state, for: Uplink.interface)
            words.append("new NAT mappings")
        }
        if let link = changes.link {
            try uplink.setCarrier(link == .up)
            try pump?.use(uplink.state, for: Uplink.interface)
            words.append("link \(link.rawValue)")
        }
        return words
    }

    /// This machine has other name servers. If the file cannot be written, the old ones stay.
    func use(_ addresses: UplinkAddresses, resolverLines: [String]) {
        try? uplink?.use(addresses, resolverLines: resolverLines)
    }

    /// Ends the overlap of a hand-over.
    func endHandOver() throws(ConditioningError) {
        guard let uplink else { return }
        try uplink.endHandOver()
        try pump?.use(uplink.state, for: Uplink.interface)
    }

    /// Ends what a scenario has changed of the uplink's network for a time.
    func restoreNetwork() throws(ConditioningError) {
        try endHandOver()
        guard let uplink, !uplink.state.isUp else { return }
        var changes = NetworkChanges()
        changes.link = .up
        _ = try change(changes)
    }

    /// Whether nothing that is sent arrives any more, or nothing that says so.
    var losesEverything: Bool {
        guard uplink?.state.isUp != false, let profile = current?.request.profile else {
            return uplink?.state.isUp == false
        }
        return [profile.uplink, profile.downlink].contains { $0?.loss?.meanLoss == 1 }
    }

    /// What a scenario and the profile have changed of the uplink's network, in words.
    var networkWords: [String] {
        guard let state = uplink?.state else { return [] }
        let addresses = state.addresses.map { "address \($0.map(\.description).joined(separator: ", "))" }
        let profile = current?.request.profile.networkWords ?? []
        return (state.isUp ? [] : ["link down"]) + [addresses].compactMap { $0 } + profile
    }

    /// The rules in effect with their counters, without the sandbox itself, and the name of the profile, if any.
    func report() throws(ConditioningError) -> (report: StatusReport, profile: String?) {
        let report = try conditioner.status()
        // Root may have changed it by `apply` or `reset`. A profile without impairments has no lanes.
        let rule = report.devices.lazy.flatMap(\.rules).first { $0.traffic == self.selection }
        let bare = current.flatMap { $0.hasLanes ? nil : $0.request.profile.name }
        return (report, rule?.profile ?? bare)
    }
}
