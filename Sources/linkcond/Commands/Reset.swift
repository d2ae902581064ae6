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
            let removal = try Removal(devices.map(\.link.name), connection, command: "reset")
            let losses = try removal.carryOut(abandoned: abandoned, isPatient: !now)

            for loss in losses { Console.note("note: \(loss), dropped") }
            for (device, plan) in zip(devices, removal.plans) {
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
