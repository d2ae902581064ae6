// SPDX-License-Identifier: Apache-2.0

@testable import Sandboxing

extension LoopbackAddress {
    /// Whether this machine has IPv6.
    static let hasIPv6 = (try? TestSocket.listening(.tcp, .v6)) != nil

    /// One of each kind that this machine has.
    static let ofEachKind: [LoopbackAddress] = [.v4, .v4(7, 7, 7)] + (hasIPv6 ? [.v6] : [])
}
