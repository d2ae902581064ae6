// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkProfiles
import Netlink
import ProfileCatalog
import Sandboxing

extension Linkcond {
    /// `linkcond switch PROFILE`
    struct Switch: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "switch",
            abstract: "Change the conditions in place, losing nothing."
        )

        @OptionGroup var wanted: ProfileOptions

        @Option(
            name: [.customShort("i"), .customLong("interface")],
            help: "The interface; needed where several are conditioned."
        )
        var interface: String?

        @OptionGroup var traffic: TrafficOptions
        @OptionGroup var rule: RuleOptions
        @OptionGroup var action: DryRunOptions
        @OptionGroup var namespace: NamespaceOptions

        func run() throws {
            let loaded = try wanted.load()
            let isAboutSandbox = interface == nil && traffic.isEmpty && namespace.isOwn && !action.dryRun
            if isAboutSandbox, let keeper = ControlClient.ofThisSandbox { return try change(keeper, to: loaded) }
            let selection = try traffic.isEmpty ? nil : traffic.selection()
            let change = try RuleChange(namespace, command: "switch")
            let interface = try find(selection, change.connection).0.link.name
            guard !action.dryRun else {
                return try change.show(interface) { device in
                    let current = try only(selection, [device]).1
                    return try rule.wish(rule.request(loaded, current.selection), loaded)
                }
            }
            try change.taking(interface) { claim in
                // Somebody may have had the interface meanwhile.
                let current = try only(selection, [claim.state]).1
                let request = rule.request(loaded, current.selection)
                let ending = claim.entry?.rule(for: current.selection)?.ending
                if ending?.deadline == nil, ending?.isTied != true {
                    try Rails.current(isOwn: namespace.isOwn, change.connection).check(request, on: interface)
                }
                var wish = try rule.wish(request, loaded)
                (wish.until, wish.confirmBy) = (ending?.until, ending?.confirmBy)
                try change.put(wish, on: claim)
                Console.note(
                    "\(interface) has \"\(loaded.profile.name)\" in the place of \"\(current.tag?.profile ?? "")\""
                )
            }
        }

        private func change(_ keeper: ControlClient, to loaded: LoadedProfile) throws {
            var profile = loaded.profile
            profile.seed = rule.seed ?? profile.seed
            try Failure.catching { try keeper.change(to: profile) }
            Console.note("this sandbox has \"\(profile.name)\"")
        }

        /// The only rule that is meant.
        private func find(
            _ selection: Selection?,
            _ connection: RouteConnection
        ) throws -> (DeviceState, RuleState) {
            try only(selection, Inspector(connection).devices(named: interface).devices)
        }

        private func only(_ selection: Selection?, _ devices: [DeviceState]) throws -> (DeviceState, RuleState) {
            let all = devices.flatMap { device in device.rules.map { (device, $0) } }
            let meant = all.filter { selection == nil || $0.1.selection == selection }
            if let only = meant.first, meant.count == 1 { return only }
            let list = (meant.isEmpty ? all : meant).map { device, rule in
                "  \(device.link.name) rule \(rule.number): \"\(rule.tag?.profile ?? "")\" for \(rule.selection)"
            }
            guard !all.isEmpty else {
                let place = interface.map { " on \($0)" } ?? ""
                throw Failure(.usage, "nothing is conditioned\(place)\ntry: linkcond apply PROFILE -i DEV")
            }
            let problem = meant.isEmpty ? "no rule is for that traffic" : "several rules could be meant"
            throw Failure(.usage, ([problem + "; there are:"] + list).joined(separator: "\n"))
        }
    }
}
