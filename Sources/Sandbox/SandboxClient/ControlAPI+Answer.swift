// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

extension ControlAPI {
    /// The maximum size of a request's body, in bytes.
    package static let maximumBody = 16 << 20

    /// An answer to a request; an answer that refuses the request may be thrown.
    package struct Answer: Error {
        package var status = 200
        /// The body; nil for none.
        package var body: JSON?
        /// The methods that the resource allows, if the request used another.
        package var allowed: String?

        package init(status: Int = 200, body: JSON? = nil) { (self.status, self.body) = (status, body) }
    }

    package static func refuse(_ refusal: Refusal, _ message: String) -> Answer {
        Answer(status: refusal.status, body: JSON(("error", .text(message)), ("kind", .text(refusal.rawValue))))
    }

    /// The resources that the answer to an unknown path suggests. The capture and the record are left out: only
    /// programs that know them use them.
    private static let known = {
        func path(_ resource: Resource) -> String { resource.rawValue }
        return "GET \(path(.status)), \(path(.run)), \(path(.interfaces)) or \(path(.connections)), "
            + "GET or PUT \(path(.conditions)), PUT \(path(.scenario)), "
            + "POST \(path(.off)), \(path(.on)), \(path(.marks)), \(path(.observation)) or \(path(.judge)), "
            + "or GET \(path(.events))"
    }()

    /// The answer to a request for a resource that is not known, or with a method that the resource does not allow.
    package static func refuse(path: String) -> Answer {
        guard let allowed = Resource(rawValue: path)?.methods.joined(separator: ", ") else {
            var answer = refuse(.badRequest, "there is no \(path); use \(known)")
            answer.status = 404
            return answer
        }
        return refuse(allowing: allowed)
    }

    /// The answer to a method that a resource does not allow.
    ///
    /// - Parameter methods: the allowed methods: "GET, PUT".
    package static func refuse(allowing methods: String) -> Answer {
        var answer = refuse(.badRequest, "only \(methods) is allowed here")
        (answer.status, answer.allowed) = (405, methods)
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
