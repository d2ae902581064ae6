// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkRules
import TestKit

@testable import ConditioningTestSupport
@testable import LinkConditioning

/// A command on one interface, or on all.
struct HistoryCommand: Hashable, CustomStringConvertible {
    enum Verb: Hashable {
        /// With a time limit, and a time to confirm.
        case apply(String, String, limit: Int?, confirm: Int?)
        case change(String, String)
        case off, on, reset, confirm, status
        case run(String, String)
    }

    let verb: Verb
    /// nil for all.
    let interface: String?
    /// The request at which it is killed.
    var killedAt: Int?

    static let profiles: [String: Profile] = [
        "Slow Net": .slowNet, "Black Hole": .blackHole, "Delay 10": .delay(10), "Nothing": Profile("Nothing"),
        "Uplink 10": Profile("Uplink 10", uplink: .delay(10)),
    ]
    private static let names = ["Slow Net", "Black Hole", "Delay 10", "Slow Net", "Delay 10", "Nothing"]
    private static let traffic = ["everything", "port 443"]

    static func random(_ random: inout SeededGenerator, kills: Bool) -> HistoryCommand {
        let (profile, traffic) = (random.pick(names), random.pick(Self.traffic))
        let verb: Verb =
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<4: .apply(profile, traffic, limit: nil, confirm: nil)
            case 4..<6: .apply(profile, traffic, limit: random.pick([5, 40]), confirm: nil)
            case 6: .apply(profile, traffic, limit: random.pick([nil, 60]), confirm: 20)
            case 7..<10: .change(profile, traffic)
            case 10..<12: .off
            case 12..<14: .on
            case 14..<16: .reset
            case 16: .confirm
            case 17: .status
            default: .run(random.pick(["Slow Net", "Delay 10"]), traffic)
            }
        var command = HistoryCommand(verb: verb, interface: random.pick(["a0", "a0", "a0", "b0", "b0", "lo"]))
        if [.off, .on, .reset, .status, .confirm].contains(verb), random.isOne(in: 3) || verb == .status {
            command = HistoryCommand(verb: verb, interface: nil)
        }
        if kills, random.isOne(in: 3) { command.killedAt = Int.random(in: 1...140, using: &random) }
        return command
    }

    var description: String {
        let on = interface.map { " -i \($0)" } ?? ""
        let text =
            switch verb {
            case .apply(let profile, let traffic, let limit, let confirm):
                "apply '\(profile)'\(on) [\(traffic)]" + (limit.map { " --for \($0)s" } ?? "")
                    + (confirm.map { " --confirm \($0)s" } ?? "")
            case .change(let profile, let traffic): "switch '\(profile)'\(on) [\(traffic)]"
            case .off: "off\(on)"
            case .on: "on\(on)"
            case .reset: "reset\(on)"
            case .confirm: "confirm\(on)"
            case .status: "status"
            case .run(let profile, let traffic): "run '\(profile)'\(on) [\(traffic)]"
            }
        return text + (killedAt.map { ", killed at request \($0)" } ?? "")
    }
}

/// One line of a history.
enum HistoryStep: Hashable, CustomStringConvertible {
    case command(HistoryCommand)
    case both(HistoryCommand, HistoryCommand)
    case wait(Int)
    /// The oldest `run` ends, or is killed.
    case endRun(killed: Bool)
    case killGuardian
    /// Whether the journal's files survive.
    case reboot(keepsFiles: Bool)
    /// The interface is deleted and made again.
    case replace(String, sameIndex: Bool)
    /// The user adds objects, or removes them.
    case foreign(Bool)
    /// Whether lanes hold packets from now on.
    case traffic(Bool)

    static func random(_ random: inout SeededGenerator) -> HistoryStep {
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<18: .command(.random(&random, kills: true))
        case 18..<26: .both(.random(&random, kills: true), .random(&random, kills: true))
        case 26..<29: .wait(random.pick([1, 6, 30]))
        case 29..<32: .endRun(killed: random.isOne(in: 2))
        case 32: .killGuardian
        case 33: .reboot(keepsFiles: random.isOne(in: 2))
        case 34: .replace(random.pick(["a0", "b0"]), sameIndex: random.isOne(in: 2))
        case 35: .foreign(random.isOne(in: 2))
        case 36: .traffic(random.isOne(in: 3))
        default: .command(.random(&random, kills: false))
        }
    }

    var description: String {
        switch self {
        case .command(let command): command.description
        case .both(let one, let other): "\(one)  ||  \(other)"
        case .wait(let seconds): "wait \(seconds) s"
        case .endRun(let killed): killed ? "kill the oldest run" : "the oldest run ends"
        case .killGuardian: "kill a guardian"
        case .reboot(let keepsFiles): "reboot, the journal's files \(keepsFiles ? "stay" : "are gone")"
        case .replace(let name, let sameIndex):
            "delete and make \(name), with \(sameIndex ? "the same" : "another") index"
        case .foreign(let adds): adds ? "the user adds a qdisc, a filter and an ifb" : "the user removes them"
        case .traffic(let holds): holds ? "lanes hold packets from now on" : "lanes are empty from now on"
        }
    }
}
