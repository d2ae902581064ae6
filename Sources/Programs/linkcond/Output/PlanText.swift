// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles
import TrafficControl

extension InterfaceConditioner {
    /// Prints the ip(8) and tc(8) commands that are equivalent to the request, for the netem engine unless another one
    /// is requested; without `isVerbose`, without the filters, whose programs are numbers.
    func printCommands(_ request: RuleRequest, on interface: String, isVerbose: Bool) throws {
        var request = request
        request.engine = request.engine ?? .netem
        let (choice, notes) = try plan(request, on: interface)
        let commands = choice.plan.commands
        let readable = isVerbose ? commands : commands.filter { !$0.contains(" bytecode ") }
        Console.data(readable.map { OutputLine($0) })
        if readable.count < commands.count {
            let filters = counted(commands.count - readable.count, "filter")
            Console.failure(
                "note: \(filters), which select the packets, \(commands.count - readable.count == 1 ? "is" : "are") "
                    + "left out; --verbose prints all commands"
            )
        }
        for note in notes { Console.failure("note: \(note)") }
    }

    /// Prints what `apply` would do with the request.
    func printPlan(_ request: RuleRequest, on interface: String, isVerbose: Bool) throws {
        let (choice, notes) = try plan(request, on: interface)
        let lines = isVerbose ? choice.plan.commands.map { OutputLine($0) } : choice.summary(of: request, on: interface)
        Console.data(lines)
        for note in (isVerbose ? [choice.note].compactMap { $0 } : []) + notes { Console.failure("note: \(note)") }
    }
}

extension EngineChoice {
    /// The conditions, the engine and the devices, in words.
    fileprivate func summary(of request: RuleRequest, on interface: String) -> [OutputLine] {
        let profile = request.profile
        let scope = request.selection.isEverything ? "" : ", for \(request.selection.words)"
        let figures = [("downlink", profile.downlink), ("uplink", profile.uplink)].map { name, impairments in
            let words = impairments?.words ?? []
            return "\(name)  ".padded(to: 10) + (words.isEmpty ? "untouched" : words.joined(separator: ", "))
        }
        let others =
            (profile.dns.map { ["dns       \($0.delay.text) more for packets to port 53"] } ?? [])
            + (profile.schedule == nil ? [] : ["schedule  changes with time"])
            + profile.faults.enumerated().map { "fault \($0 + 1)   \($1.words)" }
        let commands = (plan.build + plan.teardown).map(\.command)
        let devices = plan.taps.map(\.name) + plan.expected.filter { $0.lane != nil }.map { "\($0.name)" }
        let filters = commands.count { $0.hasPrefix("tc filter") }
        let made = devices.isEmpty ? "" : "devices \(Set(devices).sorted().joined(separator: ", ")); "
        let why = reason.map { ": \($0)" } ?? ""
        return [OutputLine(heading: "\(interface) would have \"\(profile.name)\"\(scope)\(request.facing.words)")]
            + (figures + others).map { OutputLine("  \($0)") }
            + [
                OutputLine("  engine    \(engine.rawValue)\(why)"),
                OutputLine("  changes   \(made)\(counted(filters, "filter")); --verbose prints each command"),
            ]
    }
}

extension Plan {
    fileprivate var commands: [String] { taps.map(\.command) + (build + teardown).map(\.command) }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
