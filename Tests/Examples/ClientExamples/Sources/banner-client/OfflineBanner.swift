// SPDX-License-Identifier: Apache-2.0

import Reachability

/// The banner that says that there is no connection.
struct OfflineBanner {
    private(set) var isShown = false

    /// Shows or hides the banner. Returns whether that changed it.
    mutating func update(_ state: PathVerdict.State) -> Bool {
        let wasShown = isShown
        switch state {
        // Slow is not offline.
        case .reachable, .degraded: isShown = false
        case .captive, .limited, .unreachable, .waiting, .suspended: isShown = true
        // Nothing new is known.
        case .unknown: break
        }
        return isShown != wasShown
    }
}
