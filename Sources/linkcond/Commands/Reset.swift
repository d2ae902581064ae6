// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import Netlink

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
            let connection = try namespace.connect()
            let inspector = Inspector(connection)
            let (devices, abandoned) = try inspector.devices(named: interface)
            let conditioner = Conditioner(connection)
            for device in devices {
                let plan = Planner(device, .current()).reset().withoutDrains(now)
                let losses = try Failure.catching {
                    try conditioner.carryOut(plan, on: device.link.name)
                }
                for loss in losses { Console.note("note: \(loss), dropped") }
                let profiles = device.rules.compactMap { $0.tag?.profile }.map { "\"\($0)\"" }
                Console.note(
                    plan.isEmpty
                        ? "\(device.link.name) has no conditions"
                        : "\(device.link.name) is as it was before \(profiles.isEmpty ? "linkcond" : profiles.joined(separator: ", "))"
                )
            }
            for lane in abandoned {
                var plan = Plan()
                plan.retire = [.deleteIFB(lane.name.description)]
                _ = try Failure.catching { try conditioner.carryOut(plan, on: lane.tag.device) }
                Console.note("\(lane.tag.device) is gone; \(lane.name) was left of its conditions and is deleted")
            }
            if devices.isEmpty, abandoned.isEmpty { Console.note("nothing is conditioned") }
        }
    }
}

extension Plan {
    fileprivate func withoutDrains(_ now: Bool) -> Plan {
        var plan = self
        if now { plan.retire.removeAll { if case .drain = $0 { true } else { false } } }
        return plan
    }
}
