// SPDX-License-Identifier: Apache-2.0

import SandboxClient
import Synchronization

@testable import Sandboxing

extension ControlledSandbox {
    /// The answer to a request while no lanes drain, which comes at once.
    func answer(_ method: String, _ path: String, body: [UInt8]) -> ControlAPI.Answer {
        let result = Mutex(ControlAPI.refuse(.refused, "there was no answer"))
        answer(method, path, body: body) { answer in result.withLock { $0 = answer } }
        return result.withLock { $0 }
    }
}
