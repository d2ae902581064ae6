// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkProfiles
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
        @OptionGroup var action: DryRunOptions
        @OptionGroup var namespace: NamespaceOptions

        func run() throws {
            let loaded = try wanted.load()
            let request = try rule.request(loaded, traffic.selection())
            let home = try namespace.connectHome()
            let connection = try namespace.connect()
            let device = try Failure.catching { try Inspector(connection).device(named: interface) }
            try RuleChange(connection: connection, home: home, isDry: action.dryRun).carryOut(on: device) {
                try $0.apply(request)
            }
            guard !action.dryRun else { return }
            let scope = request.selection.isEverything ? "" : " for traffic \(request.selection)"
            Console.note(
                "\(interface) has \"\(loaded.profile.name)\"\(scope); \"linkcond reset -i \(interface)\" ends it"
            )
        }
    }
}
