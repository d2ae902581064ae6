// SPDX-License-Identifier: Apache-2.0

import Netlink

/// A predicate like the one that linkcond passes: ifbs named "lc...", and devices with an alias of linkcond's.
@Sendable func isLaneDevice(_ link: Link) -> Bool {
    link.kind == "ifb" && link.name.hasPrefix("lc") || link.alias?.hasPrefix("linkcond ") == true
}
