// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkProfiles

/// A rate as an option has it.
enum RateOption {
    /// Reads "2 Mbit/s" as a profile does; zero is none.
    static func rate(_ text: String) throws -> BitRate {
        let profile = try? Profile(name: "rate").overriding([("uplink", "rate=\(text)")])
        guard let rate = profile?.uplink?.rate, !rate.isZero else {
            throw ValidationError("'\(text)' is not a rate such as '2 Mbit/s'")
        }
        return rate
    }
}
