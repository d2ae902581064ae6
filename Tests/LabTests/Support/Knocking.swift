// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Trying ports: which accept a connection, and which connections a listener has seen.
enum Knocking {
    /// How a port answered.
    struct Answer: Decodable {
        /// "connected", the error's name, or "silence" when a second has passed.
        let tcp: String
        /// "answered", the error's name, or "silence".
        let udp: String
    }

    /// The line of shell that knocks at all of `doors` at once, each an address and a port as "127.0.0.1/80".
    static func line(_ doors: [String]) -> String {
        Script("knock.py").line(doors)
    }

    /// The line of shell for a listener that prints "ready", listens at a port of every address, TCP and UDP, IPv4 and
    /// IPv6, and prints "tcp" or "udp" for each who comes.
    static func listening(at port: Int) -> String {
        Script("listen.py").line([String(port)])
    }
}
