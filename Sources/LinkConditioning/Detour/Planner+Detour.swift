// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

extension Planner {
    /// The places of the filters that let a pump's packets pass: behind those that the kernel chooses, ahead of every
    /// filter that leads to a lane.
    static let passPreferences: Range<UInt16> = 49_900..<(49_900 + UInt16(maximumRules))
    /// The places of the filters that lead to a pump follow.
    private static let detourPreference: UInt16 = 49_933

    /// A plan that leads the traffic of `request` through a pump.
    ///
    /// - Throws: `unsupported` where the device's traffic cannot be led there and back.
    public func detour(_ request: RuleRequest) throws(ConditioningError) -> Detour {
        let device = state.link.name
        guard state.link.hasEthernetHeader else {
            throw ConditioningError(
                .unsupported,
                "the userspace engine cannot condition \(device), whose packets have no Ethernet header"
            )
        }
        try checkForeign(request, needsEgress: true)
        let number = (state.rules.map(\.number).max() ?? 0) + 1
        guard number <= Self.maximumRules else {
            throw ConditioningError(.tooMuch, "\(device) has no room for more than \(Self.maximumRules) rules")
        }
        var detour = Detour(device: device, taps: [], plan: Plan())
        let kinds: [LaneKind] = state.link.isLoopback ? [.uplink] : [.uplink, .downlink]
        for kind in kinds {
            let name = LaneName(deviceIndex: state.link.index, rule: number, kind: kind)
            let traffic: Detour.Tap.Traffic =
                state.link.isLoopback ? .loopback : kind == .uplink ? .leaving : .arriving
            let tag = RuleTag(
                device: device,
                lane: kind,
                rule: number,
                appliedAt: request.origin.time,
                userID: request.origin.userID,
                processID: request.origin.processID,
                madeHook: state.hook == .none,
                previousMTU: nil,
                selection: request.selection,
                profile: request.profile.name
            )
            detour.taps.append(
                Detour.Tap(
                    name: name.description,
                    traffic: traffic,
                    mtu: state.link.mtu,
                    address: traffic == .arriving ? state.link.address : nil,
                    tag: tag
                )
            )
            detour.plan.build.append(
                .addReturn(tap: name.description, device: device, arrives: traffic != .leaving)
            )
        }
        if state.hook == .none { detour.plan.build.append(.addHook(device)) }
        if !state.link.isLoopback {
            let preference = Self.passPreferences.lowerBound + UInt16(Self.maximumRules - number)
            detour.plan.build.append(.addPass(device: device, tap: detour.taps[0].name, preference: preference))
        }
        for (kind, tap) in zip(kinds, detour.taps) {
            detour.plan.build.append(.addFilter(try filter(kind, request, number, tap)))
        }
        return detour
    }

    private func filter(
        _ kind: LaneKind,
        _ request: RuleRequest,
        _ number: Int,
        _ tap: Detour.Tap
    ) throws(ConditioningError) -> LaneFilter {
        let classifier = Classifier(
            selection: request.selection,
            condition: .any,
            remoteIsDestination: tap.traffic != .arriving,
            networkOffset: 14,
            passesReturned: tap.traffic == .arriving
        )
        guard request.selection.description.utf8.count <= RuleTag.longestSelection, let program = classifier.program()
        else { throw tooManySelectors(request.selection) }
        return LaneFilter(
            device: state.link.name,
            hook: tap.traffic == .arriving ? .ingress : .egress,
            preference: Self.detourPreference + UInt16(Self.maximumRules - number),
            mark: FilterMark(rule: number, lane: kind),
            program: program,
            target: tap.name
        )
    }
}
