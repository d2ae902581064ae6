// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinkRules
internal import SandboxClient

extension ControlAPI {
    /// The maximum size of a request's body, in bytes.
    static let maximumBody = Profile.maximumBytes

    /// An answer; one that refuses the request may be thrown.
    struct Answer: Error {
        /// The HTTP status code.
        var status: Int
        /// The body; nil for none.
        var body: JSON?
        /// The methods that the resource allows, if the request used another.
        var allowed: String?
    }

    /// The answer to a request that an error of the conditions has ended.
    static func refuse(_ error: ConditioningError) -> Answer {
        refuse(error.code == .unsupported ? .unsupported : .refused, error.description)
    }

    static func refuse(_ refusal: Refusal, _ message: String) -> Answer {
        Answer(status: refusal.status, body: JSON(("error", .text(message)), ("kind", .text(refusal.rawValue))))
    }
}

extension ControlAPI.Refusal {
    fileprivate var status: Int {
        switch self {
        case .badRequest: 400
        case .forbidden: 403
        case .unknownProfile, .notObserved: 404
        case .busy: 409
        case .badProfile, .badScenario, .unsupported: 422
        case .refused: 500
        }
    }
}
