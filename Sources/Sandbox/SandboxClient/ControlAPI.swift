// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The resources of the control socket, without the transport.
///
/// `GET /v1/status` returns what `linkcond status --json` prints. `PUT /v1/conditions` takes a profile, as an object or
/// by name, and replaces the conditions in effect by it; `GET` returns the profile that the conditions were last changed
/// to. Where each interface has conditions of its own, `/v1/conditions/wifi0` are those of `wifi0`. `POST /v1/marks` tells
/// that the client has reached a point that it names. `GET /v1/events` goes on with an event a line. `POST /v1/observation`
/// begins to observe the client, where that has not begun with the run. `PUT /v1/scenario` plays a scenario until `DELETE`
/// ends it. `POST /v1/judge` takes a ``JudgeRequest``, and returns verdicts.
package enum ControlAPI {
    /// A resource, with its path. Tests compare what is served, what refusals name and the guide's table with this list.
    package enum Resource: String, CaseIterable {
        case status = "/v1/status"
        case conditions = "/v1/conditions"
        case marks = "/v1/marks"
        case scenario = "/v1/scenario"
        case events = "/v1/events"
        case observation = "/v1/observation"
        /// The capture of the run, as it is now.
        case capture = "/v1/capture"
        /// The record of the run so far: events, and what was sampled.
        case record = "/v1/record"
        /// Verdicts on a part of the run.
        case judge = "/v1/judge"

        /// The methods that the resource allows.
        package var methods: [String] {
            switch self {
            case .status, .events, .capture, .record: ["GET"]
            case .conditions: ["GET", "PUT"]
            case .scenario: ["PUT", "DELETE"]
            case .marks, .observation, .judge: ["POST"]
            }
        }
    }

    /// An error. The body has a message with a remedy for people, and the kind for programs.
    package enum Refusal: String, JSONConvertible {
        case badRequest
        /// The client process belongs to another user.
        case forbidden
        case unknownProfile
        case badProfile
        case badScenario
        case badExpectation
        /// No mark and no step has the given name.
        case unknownLabel
        /// The run plays a scenario of its own.
        case busy
        /// The kernel or the engine does not support the profile.
        case unsupported
        case refused
        /// Nothing observes the run.
        case notObserved
        /// The run is observed, but from later on than was asked for.
        case observedLater
    }
}
