// SPDX-License-Identifier: Apache-2.0

import LinkRules

/// What became of a command.
enum HistoryResult {
    case success
    case failure(ConditioningError)
    case killed
}

/// What the rules of one interface should be: the model to which histories are compared.
struct HistoryModel: Hashable, CustomStringConvertible {
    struct Rule: Hashable {
        let traffic: String
        var profile: String
        /// Between which times it ends.
        var until: ClosedRange<Duration>?
        var confirm: ClosedRange<Duration>?
        /// The process of the `run` with which it ends.
        var run: Int32?
        /// Whether its guardian may have been killed.
        var isUnguarded = false

        var deadlines: [ClosedRange<Duration>] { [until, confirm].compactMap { $0 } }
    }

    var rules: [Rule] = []
    var suspended: [Rule] = []

    var description: String {
        func list(_ rules: [Rule]) -> String {
            rules.map { "'\($0.profile)' [\($0.traffic)]" }.sorted().joined(separator: ", ")
        }
        return "{\(list(rules))}" + (suspended.isEmpty ? "" : " and suspended {\(list(suspended))}")
    }

    /// Puts a rule into effect.
    mutating func apply(_ rule: Rule) {
        suspended.removeAll { $0.traffic == rule.traffic }
        let network = rules.firstIndex { $0.traffic == rule.traffic }
        if rule.profile == "Nothing" {
            if let network { rules.remove(at: network) }
        } else if let network {
            rules[network] = rule
        } else {
            rules.append(rule)
        }
    }

    /// What a command may have made of it, by its result.
    ///
    /// - Parameters:
    ///   - times: between which times it ran.
    ///   - process: its process.
    func after(
        _ command: HistoryCommand,
        _ result: HistoryResult,
        _ times: ClosedRange<Duration>,
        process: Int32,
        isAlive: (Int32) -> Bool
    ) -> Set<HistoryModel> {
        var results: Set<HistoryModel> = []
        switch result {
        case .success: break
        case .killed: results.insert(self)
        case .failure:
            results.insert(self)
            // It may have failed on another interface, or for another rule.
            guard command.interface == nil || command.verb == .on else { return results }
        }
        if command.verb == .on, case .success = result {
        } else if command.verb == .on {
            results.formUnion(resumed(times.upperBound, isAlive, all: false))
            return results
        }
        return results.union(completed(command, times, process, isAlive))
    }

    private func completed(
        _ command: HistoryCommand,
        _ times: ClosedRange<Duration>,
        _ process: Int32,
        _ isAlive: (Int32) -> Bool
    ) -> Set<HistoryModel> {
        func span(_ seconds: Int?) -> ClosedRange<Duration>? {
            seconds.map { times.lowerBound + .seconds($0)...times.upperBound + .seconds($0) }
        }
        var next = self
        switch command.verb {
        case .apply(let profile, let traffic, let limit, let confirm):
            if rule(traffic)?.run.map(isAlive) == true { return [] }
            next.apply(Rule(traffic: traffic, profile: profile, until: span(limit), confirm: span(confirm)))
        case .change(let profile, let traffic):
            guard var rule = rule(traffic) else { return [] }
            rule.profile = profile
            next.apply(rule)
        case .run(let profile, let traffic):
            guard rule(traffic) == nil else { return [] }
            next.apply(Rule(traffic: traffic, profile: profile, run: process))
        case .off:
            next.suspended.removeAll { rule(for: $0) != nil }
            next.suspended += rules
            next.rules = []
        case .on: return resumed(times.upperBound, isAlive, all: true)
        case .reset: next = HistoryModel()
        case .confirm:
            for network in next.rules.indices where next.rules[network].confirm?.lowerBound ?? .zero >= times.lowerBound
            {
                next.rules[network].confirm = nil
            }
        case .status: break
        }
        return [next]
    }

    private func rule(_ traffic: String) -> Rule? { rules.first { $0.traffic == traffic } }
    private func rule(for suspended: Rule) -> Rule? { rule(suspended.traffic) }

    /// The states while the suspended rules are resumed one by one.
    private func resumed(_ now: Duration, _ isAlive: (Int32) -> Bool, all: Bool) -> Set<HistoryModel> {
        var last: Set<HistoryModel> = [self]
        var seen = last
        for rule in suspended {
            var next: Set<HistoryModel> = []
            for state in last {
                var without = state
                without.suspended.removeAll { $0.traffic == rule.traffic }
                var with = state
                with.apply(rule)
                let mayBeOver = rule.isUnguarded || rule.deadlines.contains { $0.lowerBound <= now }
                if mayBeOver || rule.run.map(isAlive) == false { next.insert(without) }
                if rule.run.map(isAlive) != false { next.insert(with) }
            }
            seen.formUnion(next)
            last = next
        }
        return all ? last : seen
    }

    /// The same, once a guardian has been killed.
    var unguarded: HistoryModel {
        func mark(_ rule: Rule) -> Rule {
            var rule = rule
            rule.isUnguarded = rule.isUnguarded || !rule.deadlines.isEmpty
            return rule
        }
        return HistoryModel(rules: rules.map(mark), suspended: suspended.map(mark))
    }

    /// The states that are possible once some of the rules that `mayEnd` names have ended.
    func ending(_ mayEnd: (Rule) -> Bool) -> Set<HistoryModel> {
        var states: Set<HistoryModel> = [self]
        for rule in rules + suspended where mayEnd(rule) {
            for state in states {
                var without = state
                without.rules.removeAll { $0 == rule }
                without.suspended.removeAll { $0 == rule }
                states.insert(without)
            }
        }
        return states
    }
}
