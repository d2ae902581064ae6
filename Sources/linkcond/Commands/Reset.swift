// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import Netlink
import Sandboxing

extension Linkcond {
    /// `linkcond reset`
    struct Reset: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset",
            abstract: "Take all conditions away; interfaces end as they were. Safe to repeat."
        )

        @Option(name: [.customShort("i"), .customLong("interface")], help: "Only this interface.")
        var interface: String?

        @Flag(name: .long, help: "Drop what the lanes still hold instead of waiting for it.")
        var now = false

        @OptionGroup var namespace: NamespaceOptions

        func run() throws {
            guard interface != nil || !namespace.isOwn || ControlClient.ofThisSandbox == nil else {
                throw Failure(
                    .unavailable,
                    "this sandbox keeps its conditions until its command ends\ntry: linkcond switch PROFILE"
                )
            }
            let connection = try namespace.connect()
            let (devices, abandoned) = try Inspector(connection).devices(named: interface)
            let plans = devices.map { Planner($0, .current()).reset() }

            // Every device is free before any lane is waited for; what fails does not keep the rest from its turn.
            var plan = Plan()
            let operations = plans.flatMap(\.retire) + abandoned.map { .deleteIFB($0.name.description) }
            plan.retire = operations.filter { !$0.isAboutLane } + operations.filter { $0.isAboutLane }
            if now { plan.retire.removeAll { if case .drain = $0 { true } else { false } } }
            let losses = try Failure.catching { try Conditioner(connection).retire(plan) }

            for loss in losses { Console.note("note: \(loss), dropped") }
            for (device, plan) in zip(devices, plans) {
                let profiles = device.rules.compactMap { $0.tag?.profile }.map { "\"\($0)\"" }
                let before = profiles.isEmpty ? "linkcond" : profiles.joined(separator: ", ")
                Console.note(
                    plan.isEmpty
                        ? "\(device.link.name) has no conditions" : "\(device.link.name) is as it was before \(before)"
                )
            }
            for lane in abandoned {
                Console.note("\(lane.name) was left of the conditions of an interface that is gone, and is deleted")
            }
            if devices.isEmpty, abandoned.isEmpty { Console.note("nothing is conditioned") }
        }
    }
}

extension LinkConditioning.Operation {
    fileprivate var isAboutLane: Bool {
        switch self {
        case .drain, .deleteIFB: true
        default: false
        }
    }
}
