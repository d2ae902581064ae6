// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

/// Turns what is wanted, and what is there, into a plan. Pure: nothing is read or changed here.
public struct Planner: Sendable {
    private let state: DeviceState
    private let kernel: KernelFacts

    /// The largest packet of loopback while a rate holds there; larger ones would be minutes long.
    static let loopbackMTU: UInt32 = 1500
    /// Our places among the filters; the kernel's own choice is at 49152 and below.
    static let firstPreference: UInt16 = 50000
    /// Rules on a device at most: three places each.
    static let maximumRules = 33
    private static let placesPerRule: UInt16 = 3

    /// Plans for a device in `state`.
    public init(_ state: DeviceState, _ kernel: KernelFacts) {
        self.state = state
        self.kernel = kernel
    }

    // MARK: - Applying

    /// A plan that gives the device a rule, in the place of the one for the same traffic if there is one.
    ///
    /// - Throws: everything that stands in the way, before anything is changed.
    public func apply(_ request: RuleRequest) throws(ConditioningError) -> Plan {
        let existing = state.rules.first { $0.selection == request.selection }
        return try transition(from: existing, to: request)
    }

    /// A plan that changes the conditions of `rule` to those of `request`, leaving its traffic as it is.
    public func change(_ rule: RuleState, to request: RuleRequest) throws(ConditioningError) -> Plan {
        var request = request
        request.selection = rule.selection
        return try transition(from: rule, to: request)
    }

    private func transition(from old: RuleState?, to request: RuleRequest) throws(ConditioningError) -> Plan {
        let number = old?.number ?? (state.rules.map(\.number).max() ?? 0) + 1
        guard number <= Self.maximumRules else {
            throw ConditioningError(
                .tooMuch,
                "\(state.link.name) has no room for more than \(Self.maximumRules) rules",
                remedy: "linkcond reset -i \(state.link.name)"
            )
        }
        let mtu = loweredMTU(for: request.profile)
        let lanes = try lanes(of: request, mtu: mtu ?? state.link.mtu)
        try checkForeign(request, needsEgress: lanes.contains { $0.kind != .downlink || state.link.isLoopback })

        var plan = Plan()
        let ours = state.rules + [RuleState(number: 0, selection: Selection(), lanes: state.orphans)]
        let tags = ours.flatMap(\.lanes).map(\.tag)
        let previousMTU = tags.compactMap(\.previousMTU).first ?? (mtu == nil ? nil : state.link.mtu)
        let needsMTU = needsSmallPackets(request.profile)
        func tag(_ kind: LaneKind) -> RuleTag {
            RuleTag(
                device: state.link.name,
                lane: kind,
                rule: number,
                appliedAt: request.origin.time,
                userID: request.origin.userID,
                processID: request.origin.processID,
                madeHook: state.hook == .none || tags.contains { $0.madeHook },
                previousMTU: needsMTU ? previousMTU : nil,
                selection: request.selection,
                profile: request.profile.name
            )
        }

        var steps: [Operation] = []
        for lane in lanes {
            let current = old?.lanes.first { $0.name.kind == lane.kind }
            let keeps = current.map { isSame($0, lane) } ?? false
            let name =
                keeps ? current?.name ?? freeName(number, lane.kind) : freeName(number, lane.kind, after: current)
            let filter = try filter(lane, request, number, target: name, current: current)
            plan.expected.append(ExpectedLane(name: name, lane: lane, filter: filter))
            if keeps {
                plan.build.append(
                    .describe(name.description, alias: tag(lane.kind).text, previous: current?.tag.text)
                )
            } else {
                plan.build += make(name, lane, tag(lane.kind))
            }
            if let previous = current?.filter {
                if previous != filter { steps.append(.replaceFilter(filter, previous: previous)) }
            } else {
                steps.append(.addFilter(filter))
            }
            if let current, !keeps { plan.retire += retire(current) }
        }
        if state.hook == .none, !lanes.isEmpty { plan.build.append(.addHook(state.link.name)) }
        if let mtu { plan.build.append(.setMTU(state.link.name, mtu, previous: state.link.mtu)) }
        plan.build += steps

        // Lanes that the new profile has no use for: their traffic becomes free at once.
        for lane in old?.lanes ?? [] where !lanes.contains(where: { $0.kind == lane.name.kind }) {
            if let filter = lane.filter { plan.build.append(.deleteFilter(filter)) }
            plan.retire += retire(lane)
        }
        for orphan in state.orphans { plan.retire += retire(orphan) }
        plan.retire += state.danglingFilters.map(Operation.deleteFilter)
        let remaining = state.rules.filter { $0.number != old?.number }
        plan.retire += restoreDevice(remaining: remaining, stillNeeded: !lanes.isEmpty, needsMTU: needsMTU)
        plan.notes = notes(request, lanes: lanes, mtu: mtu)
        return plan
    }

    private func lanes(of request: RuleRequest, mtu: UInt32) throws(ConditioningError) -> [Lane] {
        var reasons: [String] = []
        if state.link.isLoopback, !request.profile.isSymmetric {
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

    /// Whether a lane in the kernel is the one wanted. A delay table is never read back, so jitter counts as new.
    private func isSame(_ current: LaneState, _ lane: Lane) -> Bool {
        guard let present = current.lane, lane.netem.jitter == 0, present.netem.jitter == 0 else { return false }
        return Verification.difference(between: lane, and: present) == nil
    }

    private func freeName(_ rule: Int, _ kind: LaneKind, after current: LaneState? = nil) -> LaneName {
        let taken = Set((state.rules.flatMap(\.lanes) + state.orphans).map(\.name))
        var name =
            current?.name.successor ?? LaneName(deviceIndex: state.link.index, rule: rule, kind: kind)
        while taken.contains(name) { name = name.successor }
        return name
    }

    // MARK: - Filters

    private func filter(
        _ lane: Lane,
        _ request: RuleRequest,
        _ number: Int,
        target: LaneName,
        current: LaneState?
    ) throws(ConditioningError) -> LaneFilter {
        // On loopback every packet leaves once, so all lanes hang there; the last takes what the others leave.
        let isEgress = lane.kind != .downlink || state.link.isLoopback
        let condition: Classifier.Condition =
            switch lane.kind {
            case .dns: .dns
            case .uplink where state.link.isLoopback: .fromOpener(ephemeralPorts: kernel.ephemeralPorts)
            case .uplink, .downlink: .any
            }
        let classifier = Classifier(
            selection: request.selection,
            condition: condition,
            remoteIsDestination: isEgress,
            networkOffset: state.link.hasEthernetHeader ? 14 : 0
        )
        guard request.selection.description.utf8.count <= RuleTag.longestSelection, let program = classifier.program()
        else {
            throw ConditioningError(
                .tooMuch,
                "more selectors than a rule can hold: \(request.selection)",
                remedy: "give one rule fewer selectors, or several rules some each"
            )
        }
        let place = UInt16(Self.maximumRules - number) * Self.placesPerRule + lane.kind.order
        return LaneFilter(
            device: state.link.name,
            hook: isEgress ? .egress : .ingress,
            preference: current?.filter?.preference ?? preferenceBase + place,
            mark: FilterMark(rule: number, lane: lane.kind),
            program: program,
            target: target.description
        )
    }

    /// Where our places begin: behind the kernel's own choices, or ahead of foreign filters where that was asked.
    private var preferenceBase: UInt16 {
        let foreign = state.foreign.compactMap(\.preference).min() ?? .max
        let size = UInt16(Self.maximumRules) * Self.placesPerRule
        return foreign >= Self.firstPreference + size ? Self.firstPreference : foreign > size ? foreign - size : 1
    }

    private func checkForeign(_ request: RuleRequest, needsEgress: Bool) throws(ConditioningError) {
        let device = state.link.name
        if state.sharesHook {
            throw ConditioningError(
                .unsupported,
                "\(device) shares its filters with other devices through a block: conditions would hit those too"
            )
        }
        if state.hook == .ingressOnly, needsEgress {
            throw ConditioningError(
                .unsupported,
                "\(device) has an ingress qdisc of somebody else, in whose place clsact would be needed for packets that leave",
                remedy: "a profile that only has a downlink, or: tc qdisc del dev \(device) ingress"
            )
        }
        let ahead = state.foreign.filter { $0.preference == nil }
        let list = state.foreign.map(\.words).joined(separator: ", ")
        let size = UInt16(Self.maximumRules) * Self.placesPerRule
        if !state.foreign.isEmpty, !request.beforeForeign {
            throw ConditioningError(
                .unsupported,
                "\(device) has classifiers of somebody else, which may pass or drop packets before they are conditioned, "
                    + "and would not see conditioned ones: \(list)",
                remedy: "--before-foreign, if those may miss the conditioned packets"
            )
        }
        if !ahead.isEmpty || state.foreign.contains(where: { ($0.preference ?? .max) <= size }) {
            throw ConditioningError(
                .unsupported,
                "\(device) has classifiers of somebody else that cannot be preceded: \(list)"
            )
        }
    }

    // MARK: - Loopback's MTU

    private func needsSmallPackets(_ profile: Profile) -> Bool {
        state.link.isLoopback && (profile.uplink?.rate != nil || profile.downlink?.rate != nil)
    }

    private func loweredMTU(for profile: Profile) -> UInt32? {
        needsSmallPackets(profile) && state.link.mtu > Self.loopbackMTU ? Self.loopbackMTU : nil
    }

    // MARK: - Taking away

    /// A plan that takes away every rule of the device, and whatever else is ours on it.
    public func reset() -> Plan {
        var plan = Plan()
        let lanes = state.rules.flatMap(\.lanes)
        // The filter that others stand in for goes last, so that no packet takes a lane it was not meant for.
        let filters = lanes.compactMap(\.filter).sorted {
            ($0.mark.rule, $1.mark.lane.order) > ($1.mark.rule, $0.mark.lane.order)
        }
        plan.retire += (filters + state.danglingFilters).map(Operation.deleteFilter)
        for lane in lanes + state.orphans { plan.retire += retire(lane) }
        plan.retire += restoreDevice(remaining: [], stillNeeded: false, needsMTU: false)
        return plan
    }

    /// Lets a lane drain and deletes it. Its filter is gone or leads elsewhere by then.
    private func retire(_ lane: LaneState) -> [Operation] {
        var operations: [Operation] = []
        if let netem = lane.lane?.netem {
            let bytes = netem.rate.bytesPerSecond
            let rate = bytes > 0 ? BitRate(bitsPerSecond: bytes &* 8) : nil
            let longest = Duration.nanoseconds(netem.latency + 4 * netem.jitter)
            let time = QueueLimit.drainTime(netemLimit: netem.limit, rate: rate, delay: longest)
            operations.append(.drain(lane.name.description, atMost: min(time, Self.longestDrain)))
        }
        return operations + [.deleteIFB(lane.name.description)]
    }

    /// What a lane holds is waited for this long at most.
    static let longestDrain = Duration.seconds(10)

    private func restoreDevice(remaining: [RuleState], stillNeeded: Bool, needsMTU: Bool) -> [Operation] {
        let leaving = state.rules.filter { rule in !remaining.contains(rule) }.flatMap(\.lanes) + state.orphans
        let staying = remaining.flatMap(\.lanes)
        var operations: [Operation] = []
        if let previous = leaving.compactMap(\.tag.previousMTU).first, !needsMTU,
            !staying.contains(where: { $0.tag.previousMTU != nil }), state.link.mtu == Self.loopbackMTU
        {
            operations.append(.setMTU(state.link.name, previous, previous: state.link.mtu))
        }
        if staying.isEmpty, !stillNeeded, leaving.contains(where: \.tag.madeHook) {
            operations.append(.deleteHook(state.link.name))
        }
        return operations
    }

    // MARK: - Words

    private func notes(_ request: RuleRequest, lanes: [Lane], mtu: UInt32?) -> [String] {
        var notes: [String] = []
        if lanes.isEmpty { notes.append("\"\(request.profile.name)\" describes no impairment: nothing is conditioned") }
        if let mtu { notes.append("the MTU of \(state.link.name) is \(mtu) instead of \(state.link.mtu) until reset") }
        if state.link.isLoopback, !lanes.isEmpty {
            notes.append("all traffic of this machine with itself goes through \(state.link.name)")
        }
        let shaped = [request.profile.uplink, request.profile.downlink].compactMap { $0 }
        if shaped.contains(where: { if case .bytes = $0.queue { true } else { false } }) {
            notes.append("netem counts its queue in packets: full-size frames stand for bytes")
        }
        if !state.foreign.isEmpty {
            let list = state.foreign.map(\.words).joined(separator: ", ")
            notes.append("these no longer see the conditioned packets: \(list)")
        }
        return notes
    }
}
