// SPDX-License-Identifier: Apache-2.0

import Netlink

extension IPAddress {
    /// An address that the test itself spells.
    init(literal text: String) {
        guard let address = IPAddress(text) else { preconditionFailure("\(text) is no address") }
        self = address
    }
}
