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
            var wasConditioned = try reset(namespace.connect(), place: "")
            if all {
                for other in Journal.existing()?.otherNamespaces() ?? [] {
                    try Failure.catching { try other.enter() }
                    wasConditioned = try reset(NamespaceOptions.connectHere(), place: " of \(other)") || wasConditioned
                }
            }
            Journal.existing()?.forgetLocks()
            if !wasConditioned { Console.note("nothing is conditioned") }
        }

        /// Resets the network that the process is in now.
        ///
        /// - Returns: whether there was anything to look at.
        private func reset(_ connection: RouteConnection, place: String) throws -> Bool {
            let (devices, abandoned) = try devices(connection)
            let removal = try Removal(devices.map(\.link.name), connection, command: "reset")
            let losses = try removal.carryOut(abandoned: abandoned, isPatient: !now)

            for loss in losses { Console.note("note: \(loss), dropped") }
            for (device, plan) in zip(devices, removal.plans) {
                let profiles = device.rules.compactMap { $0.tag?.profile }.map { "\"\($0)\"" }
                let before = profiles.isEmpty ? "linkcond" : profiles.joined(separator: ", ")
                let state = plan.isEmpty ? "has no conditions" : "is as it was before \(before)"
                Console.note("\(device.link.name)\(place) \(state)")
            }
            for lane in abandoned {
                Console.note("\(lane.name) was left of the conditions of an interface that is gone, and is deleted")
            }
            return !devices.isEmpty || !abandoned.isEmpty
        }

        /// The interface that is meant, or all with anything of ours, be it only in the journal.
        private func devices(
            _ connection: RouteConnection
        ) throws -> (devices: [DeviceState], abandoned: [LaneState]) {
            try Failure.catching {
                let inspector = Inspector(connection)
                var found = try inspector.devices(named: interface)
                guard interface == nil, let journal = Journal.existing() else { return found }
                let links = try connection.links().map { (index: $0.index, name: $0.name) }
                for name in journal.interfaces(links) where !found.devices.contains(where: { $0.link.name == name }) {
                    found.devices.append(try inspector.device(named: name))
                }
                return found
            }
        }
    }
}
