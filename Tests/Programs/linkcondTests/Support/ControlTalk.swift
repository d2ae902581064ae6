// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Python that talks to a sandbox's control socket as any program could, without a client of ours.
enum ControlTalk {
    /// A command that runs `call` after control-client.py, which speaks HTTP over the socket.
    static func command(_ call: String) -> [String] {
        ["/usr/bin/python3", "-ISc", "\(Script("control-client.py").text)\n\(call)"]
    }
}
