// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink
internal import PacketPump
package import TrafficControl

extension InterfaceConditioner {
    /// Conditions an interface until `remove`, or until the request's time limit. It replaces a rule for the same
    /// traffic and keeps the others.
    ///
    /// - Returns: the rule that it replaced; nil for none.
    /// - Throws: the reason for a failure; the interface is unchanged then, unless the error says otherwise.
    @discardableResult
    public func apply(_ request: RuleRequest, on interface: String) throws(ConditioningError) -> InterfaceRule? {
        let session = try open(interface)
        let before = session.entry?.rule(for: request.selection)
        if let rule = before, let ending = rule.ending, ending.isTied {
            // The rule would end with the command.
            throw ConditioningError(
                .busy,
                "\(interface) has \"\(rule.profile.name)\" for a running command "
                    + "(process \(ending.guardian.processID))",
                remedy: Remedy(.switchProfile, interface)
            )
        }
        let replaced = before.map { rule in
            let rest = rule.ending?.deadline.map { $0 - machine.now }
            return InterfaceRule(interface: interface, profile: rule.profile.name, rest: rest)
        }
        try apply(request, RuleTimes(request, from: machine.now), on: session)
        return replaced
    }

    /// Changes the conditions of one rule in place; its traffic, its `facing` and its ending stay the same.
    ///
    /// - Parameters:
    ///   - interface: the rule's interface; nil if there is only one rule in the network.
    ///   - selection: the rule's traffic; nil for any.
    ///   - number: the rule's number; nil for any.
    ///   - guardsLogin: whether to refuse conditions that would cut the user's login connection.
    ///   - makeRequest: returns the new conditions for the rule's traffic.
    /// - Returns: the interface and the name of the previous profile.
    /// - Throws: `ambiguous` or `notFound`, with the list of the rules, unless exactly one matches; or another failure.
    public func change(
        on interface: String?,
        for selection: Selection?,
        number: Int? = nil,
        guardsLogin: Bool = true,
        _ makeRequest: (Selection) -> RuleRequest
    ) throws(ConditioningError) -> (interface: String, before: String) {
        let name = try rule(on: interface, for: selection, number: number).device.link.name
        let session = try open(name)
        // Another process may have changed the interface meanwhile.
        let current = try Self.onlyRule(for: selection, number: number, among: [session.state], interface).rule
        var request = makeRequest(current.selection)
        request.facing = current.facing
        let ending = session.entry?.rule(for: current.selection)?.ending
        if guardsLogin, ending?.deadline == nil, ending?.isTied != true {
            try lockoutGuard.check(request, on: name)
        }
        try apply(request, RuleTimes(until: ending?.until, confirmBy: ending?.confirmBy), on: session)
        return (name, current.alias?.profile ?? "")
    }

    /// The engine that `apply` would choose with its plan, and notes for the user. Nothing is changed.
    package func plan(
        _ request: RuleRequest,
        on interface: String
    ) throws(ConditioningError) -> (choice: EngineChoice, notes: [String]) {
        let state = try Inspector(connection).state(of: interface)
        let current = state.rules.first { $0.selection == request.selection }
        let choice = try EngineChoice(
            request,
            [Planner(recorded: state, nil, machine.kernel)],
            executor,
            current: current
        )
        return (choice, choice.plan.notes)
    }

    /// The reason why no conditions get netem; nil if some can, or if it is not known to this user. Other features are
    /// not tried: that could change the network.
    package var reasonForUserspace: String? { executor.lacks([.netem]) ? "this kernel has no netem" : nil }

    /// The only rule that matches.
    package func rule(
        on interface: String?,
        for selection: Selection?,
        number: Int? = nil
    ) throws(ConditioningError) -> (device: DeviceState, rule: RuleState) {
        try Self.onlyRule(for: selection, number: number, among: devices(named: interface).devices, interface)
    }

    static func onlyRule(
        for selection: Selection?,
        number: Int?,
        among devices: [DeviceState],
        _ interface: String?
    ) throws(ConditioningError) -> (device: DeviceState, rule: RuleState) {
        let all = devices.flatMap { device in device.rules.map { (device, $0) } }
        let meant = all.filter { _, rule in
            (selection == nil || rule.selection == selection) && (number == nil || rule.number == number)
        }
        if let only = meant.first, meant.count == 1 { return only }
        let offered = meant.isEmpty ? all : meant
        let list = offered.map { device, rule in
            "  \(device.link.name) rule \(rule.number): \"\(rule.alias?.profile ?? "")\" for \(rule.selection.words)"
        }
        let scope = interface.map { " on \($0)" } ?? ""
        guard let example = offered.first else {
            throw ConditioningError(
                .ambiguous,
                "nothing is conditioned\(scope)",
                remedy: Remedy(.apply)
            )
        }
        let missing = number.map { "there is no rule \($0)\(scope)" }
        let problem = meant.isEmpty ? missing ?? "no rule is for that traffic" : "several rules match"
        throw ConditioningError(
            meant.isEmpty && number != nil ? .notFound : .ambiguous,
            ([problem + "; the rules are:"] + list).joined(separator: "\n"),
            remedy: Remedy(.nameRule, example.0.link.name, "\(example.1.number)")
        )
    }

    /// Applies a rule, replacing the one for the same traffic, and starts its pump and guardian if it needs them.
    ///
    /// - Parameter suspended: the suspended rule that is being resumed.
    func apply(
        _ request: RuleRequest,
        _ times: RuleTimes,
        restoring suspended: JournalEntry.Rule? = nil,
        on session: consuming InterfaceSession
    ) throws(ConditioningError) {
        let replaced = suspended ?? session.entry?.rule(for: request.selection)
        let application = try RuleApplication(
            request,
            .guardian(times, replaced: replaced),
            on: session,
            connection,
            isInitialNetwork: isInitialNetwork,
            note: note
        )
        var guardian: Guardian?
        let losses = try application.carryOut(on: session, &guardian).finish()
        tell(application.plans.flatMap(\.plan.notes) + losses)
        try guardian?.requireAlive(on: machine)
    }
}
