// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The answer of a pump's process.
package struct PumpAnswer: Hashable, Sendable {
    /// Why the request failed; nil if it succeeded.
    package var refusal: String?
    /// The conditions in use, in the answer to `report`.
    package var profile: Profile?
    /// The number of packets that it holds from the TAP device of this socket.
    package var held: UInt64?

    /// Makes an answer.
    package init(refusal: String? = nil, profile: Profile? = nil, held: UInt64? = nil) {
        self.refusal = refusal
        self.profile = profile
        self.held = held
    }

    /// Parses `json`; nil if it is not an answer.
    package init?(json: JSON) {
        guard let refusal: String? = json.optional("refusal"),
            let held: UInt64? = json.optional("held")
        else { return nil }
        let profile = json["profile"].flatMap { try? Profile(json: $0) }
        self.init(refusal: refusal, profile: profile, held: held)
    }

    /// The answer as JSON.
    package var json: JSON {
        JSON(
            ("refusal", .text(refusal)),
            ("profile", profile?.json),
            ("held", .number(held))
        )
    }
}
