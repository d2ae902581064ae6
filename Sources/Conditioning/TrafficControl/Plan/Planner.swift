// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinuxSystem
internal import Netlink

/// Plans the steps from a device's present state to a requested one. Pure: it neither reads nor changes the kernel.
package struct Planner: Sendable {
    package let state: DeviceState
    private(set) var kernel: KernelFacts
    let portsTellOpener: Bool
    let originals: OriginalSettings
    let failsOpen: @Sendable () -> Bool

    /// A device's original settings according to the journal. They are used only together with state in the kernel:
    /// alone they prove nothing.
    package struct OriginalSettings: Hashable, Sendable {
        /// Whether linkcond added the clsact.
        package var madeHook = false
        /// The MTU before linkcond lowered it.
        package var previousMTU: UInt32?
        /// The settings of loopback before linkcond changed them.
        package var previousSettings: LoopbackSettings?
        /// Whether a change was interrupted.
        package var isCutOff = false

        package init() {}
    }

    /// Loopback's MTU while it has a rate; at a low rate, a larger packet takes minutes.
    static let loopbackMTU: UInt32 = 1500
    /// The first preference of linkcond's filters; the kernel assigns 49152 and below.
    static let firstPreference: UInt16 = 50000
    /// The largest number of rules on a device, with `preferencesPerRule` preferences each.
    static let maximumRules = 33
    static let preferencesPerRule = 3

    /// Plans for a device in `state`.
    ///
    /// - Parameters:
    ///   - portsTellOpener: whether this network namespace is new and its ephemeral ports are reserved, so that on
    ///     loopback a packet's ports identify the side that opened the flow.
    ///   - failsOpen: whether packets are to pass unconditioned once a pump has ended or stopped, for whatever reason.
    ///     Called only for a rule that a pump carries; see `FailOpenProgram`.
    package init(
        _ state: DeviceState,
        _ kernel: KernelFacts,
        portsTellOpener: Bool = false,
        originals: OriginalSettings = OriginalSettings(),
        failsOpen: @escaping @Sendable () -> Bool = { false }
    ) {
        self.state = state
        self.kernel = kernel
        self.portsTellOpener = portsTellOpener
        self.originals = originals
        self.failsOpen = failsOpen
    }

    /// This planner for a kernel that cannot count the bytes in a queue.
    package var withoutPolicers: Planner {
        var planner = self
        planner.kernel.canPolice = false
        return planner
    }

    /// This planner for a kernel that cannot redirect packets: netem is the root qdisc.
    package var atRoot: Planner {
        var planner = withoutPolicers
        planner.kernel.canRedirect = false
        return planner
    }

    /// Whether the netem engine judges the direction on loopback by ports, rather than by flows as a pump does.
    package var guessesDirection: Bool { portsTellOpener && state.link.isLoopback }

    /// A plan that adds a rule, or replaces the one for the same traffic.
    ///
    /// - Throws: all reasons why the request cannot be fulfilled.
    package func apply(_ request: RuleRequest, _ engine: Engine = .netem) throws(ConditioningError) -> Plan {
        if let plan = try rootPlan(of: request, engine) { return plan }
        let old = state.rules.first { $0.selection == request.selection }
        if state.link.isLoopback, request.facing == .peer {
            throw unsupported("\(state.link.name) has no other end: both ends of its traffic are this host's")
        }
        if !portsTellOpener, let key = request.profile.networkKeys.first {
            throw unsupported(
                "\"\(key)\" of \"\(request.profile.name)\" is for the uplink of a sandbox, not for \(state.link.name)",
                remedy: "linkcond run, without -i"
            )
        }
        let mtu = loweredMTU(for: request.profile)
        let lanes: [PlannedLane]
        var approximate: [String] = []
        switch engine {
        case .netem:
            let translation = try translate(request, mtu: mtu ?? state.link.mtu, replacing: old)
            lanes = translation.lanes.map(PlannedLane.netem)
            approximate = translation.approximate
        case .userspace: lanes = try pumpedLanes(of: request)
        }
        try checkForeign(request, needsEgress: lanes.contains { leaves($0.kind, request) })
        let number = if let old { old.number } else { try freeNumber() }
        let builder = RulePlanBuilder(
            planner: self,
            old: old,
            request: request,
            number: number,
            place: try placement(of: request.selection, replacing: old),
            lanes: lanes,
            mtu: mtu
        )
        var plan = try builder.plan()
        plan.notes = notes(for: request, engine: engine, isEmpty: lanes.isEmpty, mtu: mtu, approximate)
        return plan
    }

    /// Whether a rule needs lanes for both directions, even if its profile impairs only one: without a lane, another
    /// rule would condition the selected traffic of the other direction.
    func needsBothDirections(_ request: RuleRequest, replacing old: RuleState?) -> Bool {
        let isAlone = request.selection.isEverything && state.rules.allSatisfy { $0.number == old?.number }
        // The plain ingress qdisc has no hook for outgoing packets.
        return !isAlone && state.hook != .ingressOnly && !request.profile.lanes.isEmpty
    }

    func translate(
        _ request: RuleRequest,
        mtu: UInt32,
        replacing old: RuleState?
    ) throws(ConditioningError) -> LaneQdiscs.Translation {
        var reasons: [String] = []
        let (uplink, downlink) = (request.profile.uplink, request.profile.downlink)
        if state.link.isLoopback, !portsTellOpener, (uplink ?? Impairments()) != (downlink ?? Impairments()) {
            reasons.append("uplink and downlink that differ, on loopback")
        }
        if request.seed != nil, kernel.version < .netemSeed {
            reasons.append("a seed (needs Linux \(KernelVersion.netemSeed); this is \(kernel.version))")
        }
        reasons += request.profile.networkKeys.map { "\"\($0)\"" }
        let context = LaneContext(
            mtu: mtu,
            hasEthernetHeader: state.link.hasEthernetHeader,
            seed: request.seed,
            canPolice: kernel.canPolice
        )
        let hasBoth = needsBothDirections(request, replacing: old)
        let translation = LaneQdiscs.lanes(of: hasBoth ? request.profile.withBothDirections : request.profile, context)
        reasons += translation.unsupported
        // If the user chose netem, or the kernel allows nothing else, netem approximates the queue, and a note says so.
        if request.engine != .netem, kernel.canRedirect { reasons += translation.approximate }
        guard reasons.isEmpty else {
            throw unsupported(
                "the netem engine does not support all of \"\(request.profile.name)\" on \(state.link.name): "
                    + reasons.joined(separator: ", "),
                remedy: request.engine == .netem ? Remedy(.useEngine, Engine.userspace.rawValue) : nil
            )
        }
        return translation
    }

    /// Whether the packets of a lane are redirected as they leave the device: on loopback, every packet passes the
    /// egress hook once.
    func leaves(_ lane: Lane, _ request: RuleRequest) -> Bool { state.link.isLoopback || request.facing.leaves(lane) }

    /// The reason why the device cannot be conditioned as requested.
    func unsupported(_ message: String, remedy: Remedy? = nil) -> ConditioningError {
        ConditioningError(.unsupported, message, remedy: remedy)
    }

    /// A limit of the device that the request exceeds.
    func tooMuch(_ message: String) -> ConditioningError {
        ConditioningError(.tooMuch, message, remedy: Remedy(.reset, state.link.name))
    }

    func needsSmallPackets(_ profile: Profile) -> Bool {
        // Faults count packets, and compare their lengths.
        state.link.isLoopback
            && (profile.uplink?.rate != nil || profile.downlink?.rate != nil || !profile.faults.isEmpty)
    }

    func loweredMTU(for profile: Profile) -> UInt32? {
        needsSmallPackets(profile) && state.link.mtu > Self.loopbackMTU ? Self.loopbackMTU : nil
    }

    private func notes(for request: RuleRequest, engine: Engine, isEmpty: Bool, mtu: UInt32?, _ approximate: [String])
        -> [String]
    {
        var notes: [String] = []
        if isEmpty, request.profile.networkKeys.isEmpty {
            notes.append("\"\(request.profile.name)\" describes no impairment: nothing is conditioned")
        }
        if let mtu { notes.append("the MTU of \(state.link.name) is \(mtu) instead of \(state.link.mtu) until reset") }
        if state.link.isLoopback, !portsTellOpener, !isEmpty {
            notes.append("all of this machine's local traffic goes through \(state.link.name)")
        }
        if !approximate.isEmpty {
            notes.append(
                "netem's queue counts packets, those in flight too, and each as a full-size one, because of "
                    + approximate.joined(separator: ", ")
            )
        }
        if !state.foreign.isEmpty {
            let list = state.foreign.map(\.description).joined(separator: ", ")
            notes.append("classifiers that no longer see the conditioned packets: \(list)")
        }
        return notes
    }
}
