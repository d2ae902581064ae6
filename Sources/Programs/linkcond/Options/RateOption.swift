// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkProfiles

/// A rate as an option has it.
enum RateOption {
    /// Reads "2 Mbit/s" as a profile does; zero is none.
    static func rate(_ text: String) throws -> BitRate {
        guard let rate = BitRate(parsing: text), !rate.isZero else {
            throw ValidationError("'\(text)' is not a rate such as '2 Mbit/s'")
        }
        return rate
    }
}
