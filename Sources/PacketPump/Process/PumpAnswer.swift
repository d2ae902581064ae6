// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// What a pump's process answers.
package struct PumpAnswer: Hashable, Sendable {
    /// Why it did not do what it was asked; nil where it did.
    package var refusal: String?
    /// The conditions that it carries, where those were asked for.
    package var profile: Profile?
    /// How many packets it holds of those that came to the TAP device at whose socket it was asked.
    package var held: UInt64?

    /// Makes an answer.
    package init(refusal: String? = nil, profile: Profile? = nil, held: UInt64? = nil) {
        self.refusal = refusal
        self.profile = profile
        self.held = held
    }

    /// Reads what `json` wrote; nil for anything else.
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
