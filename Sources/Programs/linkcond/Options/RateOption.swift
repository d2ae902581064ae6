// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkProfiles

/// Parses options that are rates.
enum RateOption {
    /// Parses a rate such as "2 Mbit/s", as in a profile; zero is refused.
    static func rate(_ text: String) throws -> BitRate {
        guard let rate = BitRate(parsing: text), !rate.isZero else {
            throw ValidationError("'\(text)' is not a rate such as '2 Mbit/s'")
        }
        return rate
    }
}
