// SPDX-License-Identifier: Apache-2.0

import TestKit

/// What happens to requests and answers on loopback under Black Hole, and after a switch to a good link, over
/// connections made before: TCP to a port of the kernel's choice, UDP to a fixed one, IPv4 and IPv6.
struct BlackHoleTrial: Decodable {
    /// Whether each request was seen by its server in the Black Hole.
    let seen: [Bool]
    /// Whether each answer came within a second.
    let answered: [Bool]
    /// What `linkcond status --json` said of the Black Hole.
    let status: String
    /// Whether each answer came once the link was good again.
    let answeredLater: [Bool]
    /// What `linkcond status --json` said of that link.
    let laterStatus: String

    /// Tries it in a sandbox.
    init(by caller: Caller) throws {
        let script = Script("black-hole.py").line([Shell.linkcond])
        self = try caller.check("--engine netem --offline -- \(script)").decoded()
    }
}
