// SPDX-License-Identifier: Apache-2.0

internal import LinkRules
internal import SandboxClient

extension ControlAPI {
    /// The answer to a request that has failed with this error.
    static func refuse(_ error: ConditioningError) -> Answer {
        refuse(error.code == .unsupported ? .unsupported : .refused, error.description)
    }
}
