// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkProfiles
import LinuxSystem
import Netlink

extension Linkcond {
    /// `linkcond confirm`
    struct Confirm: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "confirm",
            abstract: "Keep what \"apply --confirm\" would otherwise undo."
        )

        @Option(name: [.customShort("i"), .customLong("interface")], help: "Only this interface.")
        var interface: String?

        @OptionGroup var namespace: NamespaceOptions

        func run() throws {
            let change = try RuleChange(namespace, command: "confirm")
            let devices = try Inspector(change.connection).devices(named: interface).devices
            var kept: [String] = []
            for device in devices {
                try change.taking(device.link.name) { claim in
                    kept += try claim.confirm(now: BootClock.now).map { "\(claim.name) keeps \"\($0)\"" }
                }
            }
            guard !kept.isEmpty else {
                let place = interface.map { " on \($0)" } ?? ""
                throw Failure(.notFound, "nothing waits to be confirmed\(place)\ntry: linkcond status")
            }
            kept.forEach(Console.note)
        }
    }
}

extension Claim {
    /// Keeps the rules whose time to be confirmed is not over; gives the names of their profiles.
    fileprivate func confirm(now: Duration) throws -> [String] {
        var names: [String] = []
        try amend { entry in
            for index in entry.rules.indices {
                guard let limit = entry.rules[index].ending?.confirmBy, now < limit else { continue }
                entry.rules[index].ending?.confirmBy = nil
                // A pump needs its guardian all the same.
                let isNeeded = entry.rules[index].ending?.until != nil || entry.rules[index].engine == .userspace
                if !isNeeded { entry.rules[index].ending = nil }
                names.append(entry.rules[index].profile.name)
            }
        }
        return names
    }
}
