// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinkProfiles
internal import ProfileCatalog

/// The resources of the control socket, without the transport.
///
/// `GET /v1/status` returns what `linkcond status --json` prints. `PUT /v1/conditions` takes a profile, as an object or
/// by name, and replaces the conditions in effect by it; `GET` returns the profile that the conditions were last changed
/// to. `POST /v1/marks` tells that the client has reached a point that it names. `GET /v1/events` goes on with an event a
/// line. `POST /v1/observation` begins to observe the client, where that has not begun with the run. `PUT /v1/scenario` plays
/// a scenario until `DELETE` ends it.
public enum ControlAPI {
    /// The path for the state.
    public static let statusPath = "/v1/status"
    /// The path for the conditions.
    public static let conditionsPath = "/v1/conditions"
    /// The path for marks.
    public static let marksPath = "/v1/marks"
    /// The path for the scenario that a client plays.
    public static let scenarioPath = "/v1/scenario"
    /// The path for events.
    public static let eventsPath = "/v1/events"
    /// The path for the begin of observing.
    public static let observationPath = "/v1/observation"
    /// The path for the capture of the run, as it is now.
    public static let capturePath = "/v1/capture"
    /// The path for the record of the run so far: events, and what was sampled.
    public static let recordPath = "/v1/record"
    /// The maximum size of a request's body, in bytes.
    static let maximumBody = Profile.maximumBytes

    /// An answer.
    struct Answer {
        /// The HTTP status code.
        var status: Int
        /// The body; nil for none.
        var body: JSON?
        /// The methods that the resource allows, if the request used another.
        var allowed: String?
    }

    /// An error. The body has a message with a remedy for people, and the kind for programs.
    public enum Refusal: String, Sendable {
        /// The request is invalid.
        case badRequest
        /// The client process belongs to another user.
        case forbidden
        /// There is no such profile.
        case unknownProfile
        /// The profile is invalid.
        case badProfile
        /// The scenario is invalid.
        case badScenario
        /// The run plays a scenario of its own.
        case busy
        /// The kernel or the engine does not support the profile.
        case unsupported
        /// The kernel refused.
        case refused
        /// Nothing observes the run.
        case notObserved

        var status: Int {
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

    static func refuse(_ refusal: Refusal, _ message: String) -> Answer {
        Answer(status: refusal.status, body: JSON(("error", .text(message)), ("kind", .text(refusal.rawValue))))
    }
}
