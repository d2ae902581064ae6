// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkProfiles
import LinuxSystem
import Netlink
import ProfileCatalog

extension Linkcond {
    /// `linkcond apply PROFILE -i DEV`
    struct Apply: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "apply",
            abstract: "Condition an interface until \"reset\"."
        )

        @OptionGroup var wanted: ProfileOptions

        @Option(name: [.customShort("i"), .customLong("interface")], help: "The interface.")
        var interface: String

        @OptionGroup var traffic: TrafficOptions
        @OptionGroup var rule: RuleOptions
        @OptionGroup var ending: EndingOptions

        @Flag(name: .customLong("keep-ssh"), help: "Leave the SSH connection that you are working over as it is.")
        var keepSSH = false

        @OptionGroup var action: DryRunOptions
        @OptionGroup var namespace: NamespaceOptions

        func run() throws {
            let loaded = try wanted.load()
            var request = rule.request(loaded, try traffic.selection())
            let change = try RuleChange(namespace, command: "apply")
            let rails = Rails.current(isOwn: namespace.isOwn, change.connection)
            if keepSSH { request.selection = try rails.keeping(request.selection, on: interface) }
            var wish = try rule.wish(request, loaded)
            guard !action.dryRun else { return try change.show(interface) { _ in wish } }
            if !ending.isGiven { try rails.check(request, on: interface) }
            try change.taking(interface) { claim in
                if claim.state.link.isLoopback { Rails.tellServices(claim.name) }
                try claim.refuseRunning(request.selection)
                ending.set(&wish)
                try change.put(wish, on: claim)
            }
            let scope = request.selection.isEverything ? "" : " for traffic \(request.selection)"
            Console.note(
                "\(interface) has \"\(loaded.profile.name)\"\(scope); \(ending.words ?? "\"linkcond reset -i \(interface)\" ends it")"
            )
        }
    }
}

extension Claim {
    /// Refuses a rule in the place of one that a command runs under: it would end with the command.
    fileprivate func refuseRunning(_ selection: Selection) throws {
        guard let rule = entry?.rule(for: selection), let ending = rule.ending, ending.isTied else { return }
        throw Failure(
            .busy,
            "\(name) has \"\(rule.profile.name)\" as long as a command runs, which process "
                + "\(ending.guardian.processID) sees to\ntry: linkcond switch PROFILE -i \(name)"
        )
    }
}
