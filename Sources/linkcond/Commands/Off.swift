// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkProfiles
import Netlink

extension Linkcond {
    /// `linkcond off`
    struct Off: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "off",
            abstract: "Take all conditions off and remember them for \"on\"."
        )

        @Option(name: [.customShort("i"), .customLong("interface")], help: "Only this interface.")
        var interface: String?

        @OptionGroup var namespace: NamespaceOptions

        func run() throws {
            try namespace.refuseSandbox(interface)
            let change = try RuleChange(namespace, command: "off")
            let devices = try Failure.catching {
                try Inspector(change.connection).devices(named: interface).devices.filter { !$0.rules.isEmpty }
            }
            for device in devices {
                try change.taking(device.link.name) { claim in
                    try claim.refuseRunningPump()
                    let plan = try claim.beginSuspension()
                    let losses = try Conditioner(change.connection).retire(plan)
                    claim.finishSuspension()
                    for loss in losses { Console.note("note: \(loss), dropped") }
                    for rule in claim.entry?.suspended ?? [] {
                        Console.note("\(claim.name) is free of \"\(rule.profile.name)\"; \"linkcond on\" puts it back")
                    }
                }
            }
            if devices.isEmpty { Console.note("nothing is conditioned") }
        }
    }
}

extension Claim {
    /// Refuses to end the processes under which a command runs: nobody could start them again for it.
    fileprivate func refuseRunningPump() throws {
        guard let rule = entry?.rules.first(where: { $0.engine == .userspace && $0.ending?.isTied == true }) else {
            return
        }
        throw Failure(
            .busy,
            "\(name) has \"\(rule.profile.name)\" as long as a command runs, by processes of that command's\n"
                + "try: linkcond switch PROFILE -i \(name)"
        )
    }
}
