// SPDX-License-Identifier: Apache-2.0

import TestKit

/// A small name server that knows one name.
enum NameServer {
    static let address = "127.0.0.53"

    /// The shell command for a server that prints "ready", and then the type of each query: "AAAA", "A".
    static let line = Script("name-server.py").line(
        [address, Outside.address.v4, Outside.address.v6, Outside.name]
    )
}
