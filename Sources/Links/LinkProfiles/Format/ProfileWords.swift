// SPDX-License-Identifier: Apache-2.0

extension Impairments {
    /// The figures in words, in the order in which a packet passes them; empty if there are none.
    public var words: [String] { wordsByKey.map(\.words) }

    /// The words of each figure, with the figure's key in profiles.
    package var wordsByKey: [(key: String, words: String)] {
        var words: [(key: String, words: String)] = []
        if let loss { words.append(("loss", loss.words)) }
        if ecn == true, loss != nil { words.append(("ecn", "marked instead of lost where the packet allows it")) }
        if let duplicate { words.append(("duplicate", "\(duplicate) duplicated")) }
        if let corrupt {
            let longest = longestCorruption.map { ", at most \($0) in a row" } ?? ""
            words.append(("corrupt", "\(corrupt) corrupted\(longest)"))
        }
        if let delay { words.append(("delay", "\(delay.text) delay")) }
        if let jitter { words.append(("jitter", jitter.words)) }
        if let reorder {
            let candidates = reorder.gap > 1 ? " of every \(reorder.gap)th packet" : ""
            words.append(("reorder", "\(reorder.probability)\(candidates) overtaking"))
        }
        if let rate { words.append(("rate", rate.isZero ? "held back" : "\(rate)")) }
        if let trace { words.append(("trace", "rate from \(trace.file)\(trace.loop ? ", repeated" : "")")) }
        if queue != nil || queueManagement != nil { words.append(("queue", queueWords)) }
        if let competing, !competing.isEmpty {
            let all = competing.map(\.words)
            let others = all.dropLast().joined(separator: ", ")
            words.append(("competing", "shared with \(others)\(others.isEmpty ? "" : " and ")\(all.last ?? "")"))
        }
        if let overhead { words.append(("overhead", overhead.words)) }
        return words
    }

    private var queueWords: String {
        let discipline = queueManagement.map { management in
            let marks = ecn == true && management.marks ? ", which marks where the packet allows it" : ""
            return "\(management.discipline.rawValue) queue\(marks)"
        }
        return [queue.map { "queue of \($0)" }, discipline].compactMap(\.self).joined(separator: ", ")
    }
}

extension CompetingFlows {
    /// The traffic in words: "2 long TCP flows", "a film of 8 Mbit/s".
    package var words: String {
        func several(_ one: String, _ many: String) -> String { count == 1 ? one : "\(count) \(many)" }
        let what =
            switch kind {
            case .bulk: several("a long TCP flow", "long TCP flows")
            case .video(let rate): "\(several("a film", "films")) of \(rate)"
            case .call(let rate): "\(several("a call", "calls")) of \(rate)"
            case .web(let pages): "\(several("a reader", "readers")) of \(pages.pagesAMinute)\(pageWords)"
            }
        let times = [start.map { "from \($0.text)" }, end.map { "until \($0.text)" }].compactMap(\.self)
        return ([what] + times).joined(separator: " ")
    }

    private var pageWords: String {
        [page.map { " of \($0)" }, connections.map { " on \(counted($0, "connection"))" }].compactMap(\.self).joined()
    }
}

extension Jitter {
    fileprivate var words: String {
        let shape = distribution == .uniform ? "" : ", \(distribution.rawValue)"
        return "± \(amount.text) jitter\(shape)\(ordered ? "" : ", packets may overtake")"
    }
}

extension Overhead {
    fileprivate var words: String {
        let cells = cell.map { " in cells of \($0) + \(cellOverhead ?? 0) bytes" } ?? ""
        return "\(packet) bytes of overhead a packet\(cells)"
    }
}

extension LossModel {
    fileprivate var words: String {
        switch self {
        case .random(let probability): "\(probability) lost"
        case .limited(let bursts): "\(bursts.chance) lost, at most \(bursts.longest) in a row"
        case .gilbertElliott(let chain):
            switch chain.spelling {
            case .burst(let loss, let packets): "\(loss) lost in bursts of \(packets.short) packets"
            case .chain(let p, let r, let bad, let good):
                "\(Probability(fraction: meanLoss).rounded) lost in bursts (p \(p), r \(r), \(bad) in bad, \(good) in good)"
            }
        case .fourState(let chain):
            "\(Probability(fraction: meanLoss).rounded) lost by four states "
                + "(p13 \(chain.p13), p31 \(chain.p31), p32 \(chain.p32), p23 \(chain.p23), p14 \(chain.p14))"
        }
    }
}

extension Probability {
    /// The probability rounded to a hundredth of a percent, for computed figures.
    fileprivate var rounded: Probability { Probability(fraction: (fraction * 1e4).rounded() / 1e4) }
}

/// A profile's columns in a list of profiles; "-" marks a part of the link that the profile does not change.
package struct ProfileOverview: Hashable, Sendable {
    package let name: String
    /// The impairments of traffic towards the host.
    package let downlink: String
    /// The impairments of traffic away from the host.
    package let uplink: String
    /// The delay that is added to queries to port 53.
    package let dns: String

    package init(_ profile: Profile) {
        let steps = profile.schedule?.steps ?? []
        func words(_ impairments: Impairments?, isScheduled: Bool) -> String {
            let faults =
                profile.faults.isEmpty ? [] : [counted(profile.faults.count, "fault")]
            let words = (impairments?.words ?? []) + (isScheduled ? ["changing with time"] : []) + faults
            return words.isEmpty ? "-" : words.joined(separator: ", ")
        }
        name = profile.name
        downlink = words(profile.downlink, isScheduled: steps.contains { $0.downlink != nil })
        uplink = words(profile.uplink, isScheduled: steps.contains { $0.uplink != nil })
        dns = profile.dns.map { "+ \($0.delay.text)" } ?? "-"
    }
}
