// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinkRules
internal import SandboxClient

extension ControlAPI {
    /// The maximum size of a request's body, in bytes.
    static let maximumBody = 16 << 20

    /// An answer to a request; an answer that refuses the request may be thrown.
    struct Answer: Error {
        var status = 200
        /// The body; nil for none.
        var body: JSON?
        /// The methods that the resource allows, if the request used another.
        var allowed: String?
    }

    /// The answer to a request that has failed with this error.
    static func refuse(_ error: ConditioningError) -> Answer {
        refuse(error.code == .unsupported ? .unsupported : .refused, error.description)
    }

    static func refuse(_ refusal: Refusal, _ message: String) -> Answer {
        Answer(status: refusal.status, body: JSON(("error", .text(message)), ("kind", .text(refusal.rawValue))))
    }

    /// The resources that the answer to an unknown path suggests. The capture and the record are left out: only
    /// programs that know them use them.
    private static let known = {
        func path(_ resource: Resource) -> String { resource.rawValue }
        return "GET \(path(.status)), GET or PUT \(path(.conditions)), PUT \(path(.scenario)), "
            + "POST \(path(.marks)), \(path(.observation)) or \(path(.judge)), or GET \(path(.events))"
    }()

    /// The answer to a request for a resource that is not known, or with a method that the resource does not allow.
    static func refuse(path: String) -> Answer {
        guard let allowed = Resource(rawValue: path)?.methods.joined(separator: ", ") else {
            var answer = refuse(.badRequest, "there is no \(path); use \(known)")
            answer.status = 404
            return answer
        }
        var answer = refuse(.badRequest, "only \(allowed) is allowed here")
        (answer.status, answer.allowed) = (405, allowed)
        return answer
    }
}

extension ControlAPI.Refusal {
    fileprivate var status: Int {
        switch self {
        case .badRequest: 400
        case .forbidden: 403
        case .unknownProfile, .unknownLabel, .notObserved, .observedLater: 404
        case .busy: 409
        case .badProfile, .badScenario, .badExpectation, .unsupported: 422
        case .refused: 500
        }
    }
}
