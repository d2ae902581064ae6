// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Writes commands of pumba: netem for packets that a container sends, iptables for the loss of packets that it
/// receives.
enum PumbaExport {
    static func text(_ profile: Profile, _ remarks: inout ExportRemarks) -> String {
        var commands: [String] = []
        if let up = profile.uplink {
            commands += netem(up, &remarks).map { "pumba netem --duration 10m \($0) CONTAINER" }
        }
        if case .random(let share)? = profile.downlink?.loss {
            commands.append("pumba iptables --duration 10m loss --probability \(fraction(share)) CONTAINER")
        }
        remarks.add("CONTAINER and the duration are to be filled in")
        if commands.count > 1 {
            remarks.add(
                "a command of pumba makes one impairment: whether a container can have several depends on its version"
            )
        }
        remarks.leaveOut(in: "pumba") { lane, figure in
            if lane == .downlink, case .random? = profile.downlink?.loss { return figure == "loss" }
            guard lane == .uplink else { return false }
            if figure == "loss", case .limited? = profile.uplink?.loss { return false }
            if figure == "corrupt", profile.uplink?.longestCorruption != nil { return false }
            return ["rate", "delay", "loss", "duplicate", "corrupt"].contains(figure)
                || figure == "jitter" && profile.uplink?.delay != nil
                || figure == "overhead" && profile.uplink?.rate != nil
        }
        if commands.isEmpty { remarks.add("no command of pumba says anything of this profile") }
        return commands.joined(separator: "\n")
    }

    private static func netem(_ figures: Impairments, _ remarks: inout ExportRemarks) -> [String] {
        var commands: [String] = []
        if let delay = figures.delay {
            let time = milliseconds(delay, "the delay", &remarks)
            let jitter = milliseconds(figures.jitter?.amount ?? .zero, "the jitter", &remarks)
            // By default, pumba adds 10 ms of jitter and 20 % of correlation.
            var command = "delay --time \(time) --jitter \(jitter) --correlation 0"
            if let distribution = figures.jitter?.distribution { command += " --distribution \(distribution.rawValue)" }
            commands.append(command)
            if figures.jitter?.ordered == true { remarks.add("packets with jitter overtake each other in pumba") }
        }
        switch figures.loss {
        case .random(let share): commands.append("loss --percent \(share.percentText)")
        case .gilbertElliott(let chain):
            let (p, r) = (chain.p.percentText, chain.r.percentText)
            let losses = "--one-h \(chain.lossInBad.percentText) --one-k \(chain.lossInGood.percentText)"
            commands.append("loss-gemodel --pg \(p) --pb \(r) \(losses)")
        case .fourState(let chain):
            let figures = [
                ("p13", chain.p13), ("p31", chain.p31), ("p32", chain.p32), ("p23", chain.p23), ("p14", chain.p14),
            ]
            commands.append("loss-state " + figures.map { "--\($0) \($1.percentText)" }.joined(separator: " "))
        case .limited, nil: break
        }
        if let share = figures.duplicate { commands.append("duplicate --percent \(share.percentText)") }
        if let share = figures.corrupt, figures.longestCorruption == nil {
            commands.append("corrupt --percent \(share.percentText)")
        }
        if let rate = figures.rate {
            var command = "rate --rate \(rate.bitsPerSecond)bit"
            if let overhead = figures.overhead {
                command += " --packetoverhead \(overhead.packet)"
                if let cell = overhead.cell {
                    command += " --cellsize \(cell) --celloverhead \(overhead.cellOverhead ?? 0)"
                }
            }
            commands.append(command)
        }
        return commands
    }

    private static func milliseconds(_ time: Duration, _ what: String, _ remarks: inout ExportRemarks) -> Int64 {
        let whole = (time.nanoseconds + 500_000) / 1_000_000
        if whole * 1_000_000 != time.nanoseconds {
            remarks.rounded("\(what) of the uplink", time.text, to: "\(whole) ms")
        }
        return whole
    }

    /// The share as a number from 0 to 1.
    private static func fraction(_ share: Probability) -> String { "\(share.fraction)" }
}
