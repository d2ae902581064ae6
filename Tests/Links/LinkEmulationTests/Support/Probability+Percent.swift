// SPDX-License-Identifier: Apache-2.0

import LinkProfiles

extension Probability {
    init(percent: Double) {
        self.init(fraction: percent / 100)
    }
}
