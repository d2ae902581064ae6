// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import Netlink
import ProfileCatalog
import SandboxClient
import Sandboxing
import TrafficControl

extension Linkcond {
    struct Switch: ParsableCommand {
        static let configuration = CommandConfiguration(
            .switch,
            abstract: "Change the conditions in place, without packet loss.",
            examples: "switch black-hole",
            "switch lte -i eth0"
        )

        @OptionGroup var profileOptions: ProfileOptions

        @Option(
            name: .interface,
            help: ArgumentHelp("The interface; required if several are conditioned.", valueName: "DEV")
        )
        var interface: String?

        @OptionGroup(title: "Link") var traffic: TrafficOptions

        @Option(
            name: .customLong("rule"),
            help: ArgumentHelp("The rule of this number, as \"status\" lists it.", valueName: "N")
        )
        var number: Int?

        @OptionGroup var rule: RuleOptions
        @OptionGroup var action: DryRunOptions
        @OptionGroup(title: "Interface") var namespace: NamespaceOptions

        mutating func validate() throws {
            guard number == nil || traffic.isEmpty else {
                throw ValidationError("--rule cannot be combined with --to, --port, --protocol or --exclude.")
            }
        }

        func run() throws {
            let loaded = try profileOptions.load()
            let namesTraffic = number != nil || !traffic.isEmpty
            let isAboutSandbox = !namesTraffic && namespace.isOwn && !action.dryRun
            var request = try rule.request(loaded, Selection())
            if isAboutSandbox, let sandbox = ControlClient.ofThisSandbox {
                let paths = interface == nil ? [] : (try? sandbox.status().sandbox?.paths) ?? []
                if interface.map(paths.contains) ?? true {
                    try sandbox.change(to: request.conditions, request.recordings, on: interface)
                    let place = interface.map { "\($0) of this sandbox" } ?? "this sandbox"
                    return Console.note("\(place) has \(loaded.label)")
                }
            }
            let selection = try traffic.isEmpty ? nil : traffic.selection()
            let conditioner = try namespace.conditioner("switch", isVerbose: rule.verbose)
            guard !action.dryRun else {
                let (device, current) = try conditioner.rule(on: interface, for: selection, number: number)
                (request.selection, request.facing) = (current.selection, current.facing)
                return try conditioner.printPlan(request, on: device.link.name, isVerbose: rule.verbose)
            }
            let changed = try conditioner.change(on: interface, for: selection, number: number) { current in
                request.selection = current
                return request
            }
            Console.note("\(changed.interface) has \(loaded.label) instead of \"\(changed.before)\"")
        }
    }
}
