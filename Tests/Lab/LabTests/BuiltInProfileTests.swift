// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import ProfileCatalog
import TestKit
import Testing

extension LabTests {
    /// Every built-in profile in a sweep, and else some of them, each applied over the previous one.
    @Suite struct BuiltInProfiles {
        private static let all = Catalog(directories: []).all().profiles.map(\.profile)

        /// `apply` itself reads back and compares; here the system's own tc must show the same figures.
        @Test func apply() throws {
            let hosts = try Hosts()
            let profiles = Self.all.filter {
                $0.schedule == nil && $0.traceReferences.isEmpty && $0.brokenWords.isEmpty && !$0.needsUserspace
            }
            #expect(profiles.count >= 40)
            for profile in profiles.oneOf(10) {
                try hosts.apply(profile.name)
                let shown = try TCShow(namespace: hosts.near)
                for direction in Direction.allCases {
                    let figures = direction == .downlink ? profile.downlink : profile.uplink
                    let netem = shown.netem(direction == .downlink ? "d" : "u")
                    #expect((netem != nil) == (figures != nil), "\(profile.name)")
                    if let figures, let netem { expect(netem, shows: figures, "\(profile.name) \(direction)") }
                }
                if let dns = profile.dns {
                    let total = (profile.uplink?.delay ?? .zero) + dns.delay
                    #expect(abs((shown.netem("n")?.delay ?? -1) - total / .seconds(1)) < 1e-6, "\(profile.name)")
                }
            }
            let before = try Hosts().dump().count
            #expect(try hosts.linkcond("reset --now").status == 0)
            #expect(try hosts.dump().count <= before + 64)
        }

        private func expect(_ netem: TCShow.Netem, shows figures: Impairments, _ what: Comment) {
            // tc reads the ticks of 64 ns as whole microseconds, and may be one off.
            #expect(abs(netem.delay - (figures.delay ?? .zero) / .seconds(1)) < 1.1e-6, what)
            #expect(abs(netem.jitter - (figures.jitter?.amount ?? .zero) / .seconds(1)) < 1.1e-6, what)
            if let rate = figures.rate { #expect(abs(netem.rate * 8 - Double(rate.bitsPerSecond)) <= 8, what) }
            if case .random(let loss) = figures.loss { #expect(abs(netem.loss - loss.fraction) < 1e-6, what) }
            if case .gilbertElliott(let chain) = figures.loss {
                #expect(abs((netem.gilbert["p"] ?? -1) - chain.p.fraction) < 1e-6, what)
                #expect(abs((netem.gilbert["r"] ?? -1) - chain.r.fraction) < 1e-6, what)
            }
        }

        @Test func withSchedulesOrRecordingsAreRefusedByNetem() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let profiles = Self.all.filter { $0.schedule != nil || !$0.traceReferences.isEmpty }
            #expect(!profiles.isEmpty)
            for profile in profiles.oneOf(4) {
                let result = try hosts.linkcond("apply '\(profile.name)' -i \(hosts.interface) --engine netem")
                #expect(result.status == 69)
                #expect(result.errors.contains("schedule") && result.errors.contains(profile.name))
            }
            #expect(try hosts.dump() == before)
        }

        @Test func withFaultsAreRefusedByNetem() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            let profiles = Self.all.filter { !$0.faults.isEmpty }
            #expect(profiles.count >= 12)
            for profile in profiles.oneOf(6) {
                let result = try hosts.linkcond("apply '\(profile.name)' -i \(hosts.interface) --engine netem")
                #expect(result.status == 69)
                #expect(result.errors.contains("faults") && result.errors.contains(profile.name), "\(result.errors)")
            }
            #expect(try hosts.dump() == before)
        }

        @Test func withSchedulesAreCarriedInUserspace() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            for profile in Self.all.filter({ $0.schedule != nil }).oneOf(4) {
                try hosts.apply(profile.name)
                #expect(try hosts.linkcond("status").output.contains("\(profile.name) (rule 1, userspace"))
                #expect(try hosts.linkcond("reset --now").status == 0)
                #expect(try hosts.dump() == before)
            }
        }

        /// What `show --tc` prints, carried out by ip and tc, makes the same qdiscs as `apply`.
        @Test(arguments: ["Slow Net", "Wi-Fi Lossy", "Android GSM", "RMCAT Default", "100% Loss"].oneOf(3))
        func equalTheCommandsThatShowPrints(_ name: String) throws {
            let ours = try Hosts()
            try ours.apply(name)
            let theirs = try Hosts()
            let commands = try theirs.linkcond("show '\(name)' --tc -i \(theirs.interface)").output
            let line = "ip netns exec \(theirs.near) sh -e"
            try Shell.check("\(line) <<'COMMANDS'\n\(commands)\nCOMMANDS")
            let qdiscs = "tc -n \(ours.near) qdisc show"
            let made = try Shell.check("tc -n \(theirs.near) qdisc show")
            #expect(try Shell.check(qdiscs) == made)
            // The filters are the same too, so reset removes them.
            #expect(try theirs.linkcond("reset --now").status == 0)
            #expect(!(try theirs.dump()).contains("lc2r1"))
        }
    }
}

/// What `tc -j qdisc show` says of our ifbs.
private struct TCShow {
    struct Netem {
        var delay = 0.0
        var jitter = 0.0
        var loss = 0.0
        var rate = 0.0
        var gilbert: [String: Double] = [:]
    }

    private var netems: [String: Netem] = [:]

    init(namespace: String) throws {
        let data = Data(try Shell.check("tc -n \(namespace) -j qdisc show").utf8)
        let qdiscs = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] ?? []
        for qdisc in qdiscs where qdisc["kind"] as? String == "netem" {
            guard let device = qdisc["dev"] as? String, let options = qdisc["options"] as? [String: Any] else {
                continue
            }
            func number(_ group: String, _ name: String) -> Double {
                ((options[group] as? [String: Any])?[name] as? NSNumber)?.doubleValue ?? 0
            }
            // One of a lane's two may have the rate, and the other the rest.
            var netem = netems[device] ?? Netem()
            netem.delay += number("delay", "delay")
            netem.jitter += number("delay", "jitter")
            netem.loss += number("loss-random", "loss")
            // The rate that only keeps packets in order is far above any other.
            let rate = number("rate", "rate")
            netem.rate = netem.rate > 0 && rate > 0 ? min(netem.rate, rate) : max(netem.rate, rate)
            for name in ["p", "r"] { netem.gilbert[name, default: 0] += number("loss-gemodel", name) }
            netems[device] = netem
        }
    }

    /// The options of the lane with this letter.
    func netem(_ letter: Character) -> Netem? {
        netems.first { $0.key.drop { $0 != "r" }.contains(letter) }?.value
    }
}

extension Profile {
    /// Whether netem lacks something of the profile: then the userspace engine carries it, which tc does not show.
    fileprivate var needsUserspace: Bool {
        [downlink, uplink].contains { figures in
            guard let figures else { return false }
            if case .limited? = figures.loss { return true }
            return figures.longestCorruption != nil || figures.queueManagement != nil || figures.competing != nil
        }
    }
}
