// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A part of a run's conditions, such as a fault or a step of the scenario, and the number of packets that it affected.
package struct ConditionsPart: Hashable, Sendable {
    /// The part's name in a sentence: "fault 2 (reset: tcp, after 20 kB)", "step 'cut'".
    package var name: String
    package var packets: UInt64
    /// The reason why the part affected no packets; nil if it affected some.
    package var reason: String?
    /// What the part did to packets, where a number of packets does not tell: "62 % of the delay".
    package var effect: String?
    /// Whether a process inside the run requested the part, and not the command line.
    package var isRequestedInside: Bool

    package init(_ name: String, packets: UInt64, reason: String?, isRequestedInside: Bool = false) {
        (self.name, self.packets, self.reason, self.isRequestedInside) = (name, packets, reason, isRequestedInside)
    }

    /// A sentence that the part never met a packet, and why; nil if it met some.
    package var missSentence: String? { reason.map { "\(name) never met a packet: \($0)" } }
}

extension ConditionsPart: JSONObject {
    package static let blank = ConditionsPart("", packets: 0, reason: nil)

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("part", &name)
        members.required("packets", &packets)
        members.optional("reason", &reason)
        members.optional("effect", &effect)
        members.optional("ofCommand", &isRequestedInside, default: false)
    }
}
