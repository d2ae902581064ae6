// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkProfiles
import Sandboxing

extension Linkcond {
    struct Apply: ParsableCommand {
        static let configuration = CommandConfiguration(
            .apply,
            abstract: "Condition an interface until \"reset\".",
            discussion: """
                The same selectors replace a rule, others add one. Of several rules that match a packet, the most specific \
                one has it: the one that restricts more of address, port and protocol; then the one with the longer \
                prefix, of several --to the shortest; of equals, the one that was added last.
                """,
            examples: "apply slow-net -i eth0 --for 10m",
            "apply lte -i eth0 --to api.example.org --port 443"
        )

        @OptionGroup var profileOptions: ProfileOptions

        @Option(name: .interface, help: ArgumentHelp("The interface.", valueName: "DEV"))
        var interface: String

        @OptionGroup(title: "Link") var traffic: TrafficOptions
        @OptionGroup(title: "Interface") var facing: FacingOptions
        @OptionGroup var rule: RuleOptions
        @OptionGroup var ending: EndingOptions

        @Flag(
            name: .customLong("keep-ssh"),
            help: "Exclude the port of your own SSH or mosh connection from the conditions."
        )
        var keepSSH = false

        @OptionGroup var action: DryRunOptions
        @OptionGroup(title: "Interface") var namespace: NamespaceOptions

        func run() throws {
            let loaded = try profileOptions.load()
            var request = try rule.request(loaded, try traffic.selection())
            (request.limit, request.confirmWithin) = (ending.limit, ending.confirm)
            request.facing = facing.facing
            let conditioner = try namespace.conditioner("apply", isVerbose: rule.verbose)
            let lockoutGuard = conditioner.lockoutGuard
            if keepSSH {
                do throws(ConditioningError) {
                    let kept = try lockoutGuard.keeping(request.selection, request.facing, on: interface)
                    request.selection = kept.selection
                    if let note = kept.note { Console.failure("note: \(note)") }
                } catch {
                    throw ConditioningError(error.code, "--keep-ssh: \(error.message)")
                }
            }
            if !ending.isGiven { try lockoutGuard.check(request, on: interface) }
            if !ending.isGiven, lockoutGuard.isConditioned(by: request, on: interface) {
                Console.failure("note: your own login goes over \(interface); with --for 10m this ends by itself")
            }
            if interface == "lo" { Self.noteServices(on: interface) }
            guard !action.dryRun else {
                return try conditioner.printPlan(request, on: interface, isVerbose: rule.verbose)
            }
            let replaced = try conditioner.apply(request, on: interface)
            let scope = request.selection.isEverything ? "" : " for \(request.selection.words)"
            let end = ending.text(in: namespace.words) ?? "\"linkcond reset -i \(interface)\(namespace.words)\" ends it"
            let before = replaced.map { rule in
                let rest = rule.rest.map { ", which would have ended in \(max($0, .zero).wholeSeconds)" } ?? ""
                return " instead of \"\(rule.profile)\"\(rest)"
            }
            Console.note("\(interface) has \(loaded.label)\(scope)\(request.facing.words)\(before ?? ""); \(end)")
        }

        private static func noteServices(on device: String) {
            let ports = LoopbackServices.ports()
            guard !ports.isEmpty else { return }
            let list = ports.prefix(5).map(String.init).joined(separator: ", ")
            let rest = ports.count > 5 ? " and \(ports.count - 5) more" : ""
            let (services, noun) = (counted(ports.count, "service"), ports.count == 1 ? "port" : "ports")
            let verb = ports.count == 1 ? "is" : "are"
            Console.failure("note: \(services) \(verb) reachable through \(device), at TCP \(noun) \(list)\(rest)")
        }
    }
}
