// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkProfiles
import SandboxClient
import Sandboxing

extension Linkcond {
    struct Reset: ParsableCommand {
        static let configuration = CommandConfiguration(
            .reset,
            abstract: "Remove all conditions, and restore the interfaces.",
            examples: "reset",
            "reset -i eth0"
        )

        @Option(name: .interface, help: ArgumentHelp("Only this interface.", valueName: "DEV"))
        var interface: String?

        @Option(
            name: .long,
            help: ArgumentHelp("Only the rule of this number, as \"status\" lists it.", valueName: "N")
        )
        var rule: Int?

        @Flag(name: .long, help: "Drop the packets in the lanes instead of waiting for them.")
        var now = false

        @Flag(name: .long, help: "Reset every network namespace in the journal, too.")
        var all = false

        @OptionGroup(title: "Interface") var namespace: NamespaceOptions

        mutating func validate() throws {
            guard !all || interface == nil && rule == nil && namespace.isOwn else {
                throw ValidationError("--all cannot be combined with -i, --rule, --netns, --pid or --container.")
            }
        }

        func run() throws {
            if let sandbox = namespace.sandbox(interface) { return try reset(sandbox) }
            if let rule { return try remove(rule, by: namespace.conditioner("reset")) }
            var failures: [ConditioningError] = []
            var wasConditioned = try reset(namespace.conditioner("reset"), scope: "", &failures)
            do throws(ConditioningError) {
                for other in all ? try InterfaceConditioner.otherNetworks : [] {
                    do throws(ConditioningError) {
                        let conditioner = try InterfaceConditioner(in: other, command: "reset") {
                            Console.failure("note: \($0.words())")
                        }
                        wasConditioned = try reset(conditioner, scope: " of \(other)", &failures) || wasConditioned
                    } catch  where error.code == .notFound {
                        // The network namespace has ended in the meantime.
                    } catch {
                        failures.append(error)
                    }
                }
            } catch {
                failures.append(error)
            }
            InterfaceConditioner.tidyJournal()
            if let failure = ConditioningError(failures) { throw failure }
            if !wasConditioned { Console.note("nothing is conditioned") }
        }

        /// Replaces the conditions of a sandbox by none. Its other rules belong to the run, and stay.
        private func reset(_ sandbox: ControlClient) throws {
            guard rule == nil, !all else {
                throw Failure(
                    .unavailable,
                    "this sandbox keeps its rules until its command ends\ntry: linkcond off, or: linkcond reset"
                )
            }
            let paths = try sandbox.status().sandbox?.paths ?? []
            for path in paths.isEmpty ? [nil] : paths.map(Optional.some) {
                try sandbox.change(to: .unconditioned, on: path)
            }
            let rest = try sandbox.status().devices.flatMap(\.rules).filter { !$0.traffic.isEverything }
            Console.note("this sandbox has no conditions\(rest.isEmpty ? "" : " but those of the run's rules")")
        }

        private func remove(_ number: Int, by conditioner: InterfaceConditioner) throws {
            let (removed, losses) = try conditioner.removeRule(number, from: interface, isPatient: !now)
            for loss in losses { Console.failure("note: \(loss), dropped") }
            Console.note("\(removed.interface): removed rule \(number), \"\(removed.profile)\"")
        }

        /// Resets the interfaces of one network namespace, and appends what failed to `failures`.
        ///
        /// - Returns: whether there was anything to reset.
        private func reset(
            _ conditioner: InterfaceConditioner,
            scope: String,
            _ failures: inout [ConditioningError]
        ) throws(ConditioningError) -> Bool {
            let report = try conditioner.removeWherePossible(from: interface, isPatient: !now)
            failures += report.failures
            if all {
                for held in report.held { Console.failure("note: \(held.message)") }
            } else {
                failures += report.held
            }
            for loss in report.losses { Console.failure("note: \(loss), dropped") }
            for device in report.interfaces {
                let profiles = Self.listed(device.profiles)
                let name = "\(device.name)\(scope)"
                let removed = profiles.isEmpty ? "leftovers" : profiles
                Console.note(
                    device.wasConditioned ? "restored \(name): removed \(removed)" : "\(name) has no conditions"
                )
            }
            for lane in report.abandonedLanes { Console.note("deleted \(lane), whose interface is gone") }
            return !report.interfaces.isEmpty || !report.abandonedLanes.isEmpty
        }

        /// The names in quotes, each once: "3G" (2 rules), "LTE".
        private static func listed(_ profiles: [String]) -> String {
            var seen: Set<String> = []
            return profiles.filter { seen.insert($0).inserted }.map { name in
                let count = profiles.count { $0 == name }
                return "\"\(name)\"" + (count > 1 ? " (\(count) rules)" : "")
            }.joined(separator: ", ")
        }
    }
}
