// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A part of a run's conditions, such as a fault or a step of the scenario, and how many packets it met.
package struct ConditionsPart: Hashable, Sendable {
    /// Its name in a sentence: "fault 2 (reset: tcp, after 20 kB)", "step 'cut'".
    package var name: String
    package var packets: UInt64
    /// Why it met none; nil if it met some.
    package var reason: String?
    /// Whether a process inside of the run asked for it, and not the command line.
    package var isOfCommand: Bool

    package init(_ name: String, packets: UInt64, reason: String?, isOfCommand: Bool = false) {
        (self.name, self.packets, self.reason, self.isOfCommand) = (name, packets, reason, isOfCommand)
    }

    /// That it met no packet, and why; nil if it met some.
    package var missSentence: String? { reason.map { "\(name) never met a packet: \($0)" } }
}

extension ConditionsPart {
    /// The members of an object that holds it.
    package var members: [(String, JSON?)] {
        [
            ("part", .text(name)), ("packets", .number(packets)), ("reason", .text(reason)),
            ("ofCommand", isOfCommand ? true : nil),
        ]
    }

    /// Reads it from an object; nil for anything else.
    package init?(json: JSON) {
        guard let name: String = json.required("part"), let packets: UInt64 = json.required("packets"),
            let reason: String? = json.optional("reason"), let isOfCommand: Bool? = json.optional("ofCommand")
        else { return nil }
        self.init(name, packets: packets, reason: reason, isOfCommand: isOfCommand ?? false)
    }
}
