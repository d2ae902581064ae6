// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinuxSystem
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

        @Flag(name: .long, help: "In every network namespace that the journal knows, too.")
        var all = false

        @OptionGroup var namespace: NamespaceOptions

        mutating func validate() throws {
            guard !all || interface == nil && namespace.isOwn else {
                throw ValidationError("--all is about every namespace and interface.")
            }
        }

        func run() throws {
            try namespace.refuseSandbox(interface)
            var wasConditioned = try reset(namespace.conditioner("reset"), place: "")
            for other in all ? InterfaceConditioner.otherNetworks : [] {
                let conditioner = try Failure.catching {
                    try InterfaceConditioner(in: other, command: "reset") { Console.note("note: \($0)") }
                }
                wasConditioned = try reset(conditioner, place: " of \(other)") || wasConditioned
            }
            InterfaceConditioner.forgetLocks()
            if !wasConditioned { Console.note("nothing is conditioned") }
        }

        /// Resets one network.
        ///
        /// - Returns: whether there was anything to look at.
        private func reset(_ conditioner: InterfaceConditioner, place: String) throws -> Bool {
            let report = try Failure.catching { try conditioner.remove(from: interface, isPatient: !now) }
            for loss in report.losses { Console.note("note: \(loss), dropped") }
            for device in report.interfaces {
                let profiles = device.profiles.map { "\"\($0)\"" }
                let before = profiles.isEmpty ? "linkcond" : profiles.joined(separator: ", ")
                let state = device.wasConditioned ? "is as it was before \(before)" : "has no conditions"
                Console.note("\(device.name)\(place) \(state)")
            }
            for lane in report.abandonedLanes {
                Console.note("\(lane) was left of the conditions of an interface that is gone, and is deleted")
            }
            return !report.interfaces.isEmpty || !report.abandonedLanes.isEmpty
        }
    }
}
