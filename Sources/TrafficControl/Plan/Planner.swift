// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinuxSystem
internal import Netlink

/// Turns what is wanted, and what is there, into a plan. Pure: nothing is read or changed here.
public struct Planner: Sendable {
    package let state: DeviceState
    let kernel: KernelFacts
    let portsTellOpener: Bool
    let memory: Memory

    /// What a journal remembers of a device. Only of use beside marks in the kernel: alone it proves nothing.
    public struct Memory: Hashable, Sendable {
        /// Whether we made its clsact.
        public var madeHook = false
        /// The MTU that it had before we lowered it.
        public var previousMTU: UInt32?
        /// The settings that it had, being loopback, before we changed them.
        public var previousSettings: LoopbackSettings?
        /// Whether a change was cut off.
        public var isCutOff = false

        /// Remembers nothing.
        public init() {}
    }

    /// The largest packet of loopback while a rate holds there; larger ones would be minutes long.
    static let loopbackMTU: UInt32 = 1500
    /// Our places among the filters; the kernel's own choice is at 49152 and below.
    static let firstPreference: UInt16 = 50000
    /// Rules on a device at most: three places each.
    static let maximumRules = 33
    static let placesPerRule: UInt16 = 3

    /// Plans for a device in `state`.
    ///
    /// `portsTellOpener` says that this network is new and its ephemeral ports were set aside, so that on loopback
    /// the ports of a packet tell whether it belongs to the side that opened the flow.
    public init(
        _ state: DeviceState,
        _ kernel: KernelFacts,
        portsTellOpener: Bool = false,
        memory: Memory = Memory()
    ) {
        self.state = state
        self.kernel = kernel
        self.portsTellOpener = portsTellOpener
        self.memory = memory
    }

    /// Whether netem would go by ports where flows decide: which side of loopback is the opener's.
    public var guessesDirection: Bool { portsTellOpener && state.link.isLoopback }

    /// A plan that gives the device a rule, in the place of the one for the same traffic if there is one.
    ///
    /// - Throws: everything that stands in the way, before anything is changed.
    public func apply(_ request: RuleRequest, _ engine: Engine = .netem) throws(ConditioningError) -> Plan {
        let existing = state.rules.first { $0.selection == request.selection }
        return try transition(from: existing, to: request, engine)
    }

    private func transition(
        from old: RuleState?,
        to request: RuleRequest,
        _ engine: Engine
    ) throws(ConditioningError) -> Plan {
        let number = old?.number ?? (state.rules.map(\.number).max() ?? 0) + 1
        guard number <= Self.maximumRules else {
            throw ConditioningError(
                .tooMuch,
                "\(state.link.name) has no room for more than \(Self.maximumRules) rules",
                remedy: "linkcond reset -i \(state.link.name)"
            )
        }
        let mtu = loweredMTU(for: request.profile)
        let lanes =
            switch engine {
            case .netem:
                try lanes(of: request, mtu: mtu ?? state.link.mtu).map {
                    PlannedLane(kind: $0.kind, carriage: .netem($0))
                }
            case .userspace: try detours(request, replacing: old)
            }
        try checkForeign(request, needsEgress: lanes.contains { $0.kind != .downlink || state.link.isLoopback })
        var plan = try RulePlanBuilder(self, old, request, number, lanes, mtu: mtu).finished()
        plan.notes = notes(request, engine, isEmpty: lanes.isEmpty, mtu: mtu)
        return plan
    }

    private func lanes(of request: RuleRequest, mtu: UInt32) throws(ConditioningError) -> [LaneQdiscs] {
        var reasons: [String] = []
        let (uplink, downlink) = (request.profile.uplink, request.profile.downlink)
        if state.link.isLoopback, !portsTellOpener, (uplink ?? Impairments()) != (downlink ?? Impairments()) {
            reasons.append("uplink and downlink that differ, on loopback")
        }
        if request.seed != nil, kernel.version < .netemSeed {
            reasons.append("a seed (Linux \(kernel.version); netem has it from \(KernelVersion.netemSeed) on)")
        }
        let context = LaneContext(mtu: mtu, hasEthernetHeader: state.link.hasEthernetHeader, seed: request.seed)
        let translation = LaneQdiscs.lanes(of: request.profile, context)
        reasons += translation.unsupported
        guard reasons.isEmpty else {
            throw ConditioningError(
                .unsupported,
                "the netem engine cannot do all of \"\(request.profile.name)\" on \(state.link.name): "
                    + reasons.joined(separator: ", ")
            )
        }
        return translation.lanes
    }

    func needsSmallPackets(_ profile: Profile) -> Bool {
        state.link.isLoopback && (profile.uplink?.rate != nil || profile.downlink?.rate != nil)
    }

    func loweredMTU(for profile: Profile) -> UInt32? {
        needsSmallPackets(profile) && state.link.mtu > Self.loopbackMTU ? Self.loopbackMTU : nil
    }

    private func notes(_ request: RuleRequest, _ engine: Engine, isEmpty: Bool, mtu: UInt32?) -> [String] {
        var notes: [String] = []
        if isEmpty { notes.append("\"\(request.profile.name)\" describes no impairment: nothing is conditioned") }
        if let mtu { notes.append("the MTU of \(state.link.name) is \(mtu) instead of \(state.link.mtu) until reset") }
        if state.link.isLoopback, !portsTellOpener, !isEmpty {
            notes.append("all traffic of this machine with itself goes through \(state.link.name)")
        }
        let shaped = [request.profile.uplink, request.profile.downlink].compactMap { $0 }
        if engine == .netem, shaped.contains(where: { if case .bytes = $0.queue { true } else { false } }) {
            notes.append("netem counts its queue in packets: full-size frames stand for bytes")
        }
        if !state.foreign.isEmpty {
            let list = state.foreign.map(\.words).joined(separator: ", ")
            notes.append("these no longer see the conditioned packets: \(list)")
        }
        return notes
    }
}
