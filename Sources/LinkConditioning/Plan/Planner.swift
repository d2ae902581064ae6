// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

/// Turns what is wanted, and what is there, into a plan. Pure: nothing is read or changed here.
public struct Planner: Sendable {
    let state: DeviceState
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

    /// A plan that changes the conditions of `rule` to those of `request`, leaving its traffic as it is.
    public func change(
        _ rule: RuleState,
        to request: RuleRequest,
        _ engine: Engine = .netem
    ) throws(ConditioningError) -> Plan {
        var request = request
        request.selection = rule.selection
        return try transition(from: rule, to: request, engine)
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
        let keepsPump = lanes.allSatisfy { lane in
            old?.lanes.contains { $0.isPumped && $0.name.kind == lane.kind } ?? false
        }
        try checkForeign(request, needsEgress: lanes.contains { $0.kind != .downlink || state.link.isLoopback })

        var plan = Plan()
        let ours = state.rules + [RuleState(number: 0, selection: Selection(), lanes: state.orphans)]
        let tags = ours.flatMap(\.lanes).map(\.tag)
        let needsMTU = needsSmallPackets(request.profile)
        let admission = engine == .userspace && !lanes.isEmpty ? state.settings : nil
        let previousSettings = admission.map { tags.compactMap(\.previousSettings).first ?? $0 }
        let previousMTU = needsMTU ? tags.compactMap(\.previousMTU).first ?? mtu.map { _ in state.link.mtu } : nil
        func tag(_ kind: LaneKind, _ previousMTU: UInt32?) -> RuleTag {
            RuleTag(
                device: state.link.name,
                lane: kind,
                rule: number,
                appliedAt: request.origin.time,
                userID: request.origin.userID,
                processID: request.origin.processID,
                madeHook: state.hook == .none || tags.contains { $0.madeHook },
                previousMTU: previousMTU,
                previousSettings: previousSettings,
                selection: request.selection,
                profile: request.profile.name
            )
        }

        let remaining = state.rules.filter { $0.number != old?.number }
        var leaving = state.orphans
        var last: [Operation] = []
        var steps: [Operation] = []
        for lane in lanes {
            let current = old?.lanes.first { $0.name.kind == lane.kind }
            let kept = current.flatMap { isSame($0, lane.carriage, keepsPump) ? $0.name : nil }
            let keeps = kept != nil
            let name = if let kept { kept } else { try freeName(number, lane.kind, after: current, in: old) }
            let filter: LaneFilter
            switch lane.carriage {
            case .netem(let netem):
                filter = try self.filter(netem, request, number, target: name, current: current)
                plan.expected.append(ExpectedLane(name: name, lane: netem, filter: filter))
                if !keeps { plan.build += make(name, netem, tag(lane.kind, previousMTU)) }
            case .pump(let traffic):
                filter = try pumpedFilter(lane.kind, traffic, request, number, target: name, current: current)
                plan.expected.append(ExpectedLane(name: name, lane: nil, filter: filter))
                guard !keeps else { break }
                plan.taps.append(tap(name, traffic))
                plan.build += lead(tap(name, traffic), tag(lane.kind, previousMTU))
                guard traffic == .leaving else { break }
                let pass = try pass(rule: number)
                steps.append(.addPass(device: state.link.name, tap: name.description, pass: pass))
            }
            if keeps {
                // What the device gets back is to be remembered until it has it.
                let alias = tag(lane.kind, previousMTU ?? current?.tag.previousMTU).text
                plan.build.append(.describe(name.description, alias: alias, previous: current?.tag.text))
                let final = tag(lane.kind, previousMTU).text
                if final != alias { last.append(.describe(name.description, alias: final, previous: alias)) }
            }
            if let previous = current?.filter, previous.preference == filter.preference {
                if previous != filter { steps.append(.replaceFilter(filter, previous: previous)) }
            } else {
                steps += [.addFilter(filter)] + (current?.filter.map { [.deleteFilter($0)] } ?? [])
            }
            if let current, !keeps { leaving.append(current) }
            if case .pump = lane.carriage, keeps, lane.kind == lanes.first?.kind {
                steps.append(.condition(tap: name.description, request.conditions))
            }
        }
        if state.hook == .none, !lanes.isEmpty { plan.build.append(.addHook(state.link.name)) }
        if let mtu { plan.build.append(.setMTU(state.link.name, mtu, previous: state.link.mtu)) }
        if let admission, admission != .admitting {
            plan.build.append(.setLoopback(state.link.name, .admitting, previous: admission))
        }
        // These hold places that new filters may need, and drop whatever they pick.
        plan.build += deleteFilters(of: []) + steps

        // Lanes that the new profile has no use for: their traffic becomes free at once.
        for lane in (old?.lanes ?? []).reversed() where !lanes.contains(where: { $0.kind == lane.name.kind }) {
            if let filter = lane.filter { plan.build.append(.deleteFilter(filter)) }
            leaving.append(lane)
        }
        let needs = Needs(mtu: needsMTU, hook: !lanes.isEmpty, settings: admission != nil)
        plan.retire = clear(leaving, remaining: remaining, needs) + last
        plan.notes = notes(request, engine, isEmpty: lanes.isEmpty, mtu: mtu)
        return plan
    }

    private func lanes(of request: RuleRequest, mtu: UInt32) throws(ConditioningError) -> [Lane] {
        var reasons: [String] = []
        let (uplink, downlink) = (request.profile.uplink, request.profile.downlink)
        if state.link.isLoopback, !portsTellOpener, (uplink ?? Impairments()) != (downlink ?? Impairments()) {
            reasons.append("uplink and downlink that differ, on loopback")
        }
        if request.seed != nil, kernel.version < .netemSeed {
            reasons.append("a seed (Linux \(kernel.version); netem has it from \(KernelVersion.netemSeed) on)")
        }
        let context = LaneContext(mtu: mtu, hasEthernetHeader: state.link.hasEthernetHeader, seed: request.seed)
        let translation = Lane.lanes(of: request.profile, context)
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

    private func make(_ name: LaneName, _ lane: Lane, _ tag: RuleTag) -> [Operation] {
        let ifb = name.description
        return [.addIFB(ifb), .describe(ifb, alias: tag.text, previous: nil), .disableAddresses(ifb)]
            + lane.qdiscs(on: 0).map { .addQdisc(ifb, $0) } + [.bringUp(ifb)]
    }

    /// Whether a lane in the kernel is the one wanted. A delay table is never read back, so jitter counts as new; a pump
    /// is kept whole or not at all: one that is being killed loses its devices one by one.
    private func isSame(_ current: LaneState, _ carriage: PlannedLane.Carriage, _ keepsPump: Bool) -> Bool {
        guard case .netem(let lane) = carriage else { return keepsPump }
        guard current.link.isUp, let present = current.lane, lane.netem.jitter == 0, present.netem.jitter == 0 else {
            return false
        }
        return Verification.difference(between: lane, and: present) == nil
    }

    private func freeName(
        _ rule: Int,
        _ kind: LaneKind,
        after current: LaneState?,
        in old: RuleState?
    ) throws(ConditioningError) -> LaneName {
        let taken = Set((state.rules.flatMap(\.lanes) + state.orphans).map(\.name))
        // A pump answers to the names of all the devices that it began with, be they gone: all get another generation.
        let last = current?.name.generation ?? old?.lanes.first(where: \.isPumped)?.name.generation
        var name = LaneName(deviceIndex: state.link.index, rule: rule, kind: kind, generation: last ?? 0)
        if last != nil { name = name.successor }
        for _ in 0..<10 where taken.contains(name) { name = name.successor }
        guard !taken.contains(name) else {
            throw ConditioningError(
                .tooMuch,
                "every name for the \(kind.rawValue) of rule \(rule) is taken by lanes that were left to drain",
                remedy: "linkcond reset -i \(state.link.name)"
            )
        }
        guard name.description.utf8.count <= LinkRequest.maximumNameLength else {
            throw ConditioningError(
                .tooMuch,
                "\(name) is too long for an interface: index \(state.link.index) leaves no room for rule \(rule)",
                remedy: "linkcond reset -i \(state.link.name)"
            )
        }
        return name
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
