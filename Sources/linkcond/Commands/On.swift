// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinkProfiles
import Netlink
import ProfileCatalog

extension Linkcond {
    /// `linkcond on`
    struct On: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "on",
            abstract: "Put back what \"off\" took off."
        )

        @Option(name: [.customShort("i"), .customLong("interface")], help: "Only this interface.")
        var interface: String?

        @OptionGroup var namespace: NamespaceOptions

        func run() throws {
            try namespace.refuseSandbox(interface)
            let change = try RuleChange(namespace, command: "on")
            let rails = Rails.current(isOwn: namespace.isOwn, change.connection)
            let remembered = (Journal.existing()?.suspended() ?? []).map(\.name)
                .filter { interface == nil || interface == $0 }
            for name in remembered {
                // A claim is good for one change.
                while try change.taking(name, { try putFirst(change, $0, rails) }) {}
            }
            if remembered.isEmpty { Console.note("nothing is off\(interface.map { " on \($0)" } ?? "")") }
        }

        /// Puts a rule back, the earliest first, as the later ones go before it.
        ///
        /// - Returns: whether there was one.
        private func putFirst(_ change: RuleChange, _ claim: Claim, _ rails: Rails) throws -> Bool {
            guard let rule = claim.entry?.suspended.first else { return false }
            if let reason = rule.isOver {
                claim.finishRemoval(of: rule.selection)
                Console.note("note: \"\(rule.profile.name)\" stays off \(claim.name), since \(reason)")
                return true
            }
            if rule.ending?.deadline == nil { try rails.check(rule.request, on: claim.name) }
            var wish = RuleChange.Wish(request: rule.request, engine: rule.engine)
            (wish.until, wish.confirmBy) = (rule.ending?.until, rule.ending?.confirmBy)
            let loaded = LoadedProfile(profile: rule.profile, origin: .commandLine)
            if rule.engine == .userspace { wish.recordings = try loaded.recordings() }
            try change.put(wish, restoring: rule, on: claim)
            Console.note("\(claim.name) has \"\(rule.profile.name)\" again")
            return true
        }
    }
}
