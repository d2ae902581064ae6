// SPDX-License-Identifier: Apache-2.0

import SandboxClient

@testable import Sandboxing

extension ControlledSandbox {
    /// The answer to a request while no lanes drain, which comes at once.
    func answer(_ method: String, _ path: String, body: [UInt8]) -> ControlAPI.Answer {
        var result = ControlAPI.refuse(.refused, "there was no answer")
        answer(method, path, body: body) { result = $0 }
        return result
    }
}
