// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Checks of ports: which answer, and which connections and datagrams a listener has seen.
enum PortCheck {
    /// How a port answered.
    struct Answer: Decodable {
        /// "connected", the error's name, or "silence" when the time was up.
        let tcp: String
        /// "answered", the error's name, or "silence".
        let udp: String
    }

    /// Longer than a second, after which a lost SYN is repeated, and a refusal that waits for a neighbor has come.
    private static let silence = 2.5

    /// The shell command that checks all `endpoints` at once, each an address and a port as "127.0.0.1/80". One that must
    /// answer is waited for.
    static func line(_ endpoints: [String], mustAnswer: Bool = false) -> String {
        let timeout = mustAnswer ? UDPSocket.timeout / 2 : silence
        return Script("check-ports.py").line(["\(timeout)"] + endpoints)
    }

    /// The shell command for a listener that prints "ready", listens at a port of every address, TCP and UDP, IPv4 and
    /// IPv6, and prints "tcp" for each connection and "udp" for each datagram.
    static func listener(at port: Int) -> String {
        Script("listen.py").line([String(port)])
    }
}
