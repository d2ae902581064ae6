// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import TestKit

extension SeededGenerator {
    /// True with `probability`.
    mutating func hits(_ probability: Probability) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability.fraction
    }
}
