// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The resources of the control socket, without the transport.
///
/// `GET /v1/status` returns the output of `linkcond status --json`. `PUT /v1/conditions` takes a profile, as an object
/// or by name, and replaces the conditions in effect; `GET` returns the profile that they were last changed to. If each
/// interface has conditions of its own, `/v1/conditions/wifi0` stands for those of `wifi0`. `POST /v1/off` takes the
/// conditions out of effect until `POST /v1/on`, or until others are put. `GET /v1/run` returns the run so far. `POST
/// /v1/marks` reports that the client has reached a point, which it names. `GET /v1/events` streams the events, one a
/// line. `POST /v1/observation` starts the observation of the client, unless the run has started it. `PUT /v1/scenario`
/// plays a scenario until `DELETE` ends it; `GET` returns one that repeats the conditions so far. `POST /v1/judge`
/// takes a ``JudgeRequest``, and returns verdicts.
package enum ControlAPI {
    /// A resource, with its path. Tests compare this list with the served paths, the paths in refusals and the guide's
    /// table.
    package enum Resource: String, CaseIterable {
        case status = "/v1/status"
        case conditions = "/v1/conditions"
        /// Takes the conditions out of effect until `on`.
        case off = "/v1/off"
        case on = "/v1/on"
        /// The interfaces of the run, with their addresses.
        case interfaces = "/v1/interfaces"
        /// The connections of the run, with what became of their packets.
        case connections = "/v1/connections"
        /// The course of the run: steps, marks, conditions, and verdicts so far.
        case run = "/v1/run"
        case marks = "/v1/marks"
        case scenario = "/v1/scenario"
        case events = "/v1/events"
        case observation = "/v1/observation"
        /// The capture of the run so far.
        case capture = "/v1/capture"
        /// The record of the run so far: events and samples.
        case record = "/v1/record"
        /// Verdicts on a part of the run.
        case judge = "/v1/judge"

        /// The methods that the resource allows.
        package var methods: [String] {
            switch self {
            case .status, .events, .capture, .record, .interfaces, .connections, .run: ["GET"]
            case .conditions: ["GET", "PUT"]
            case .scenario: ["GET", "PUT", "DELETE"]
            case .marks, .observation, .judge, .off, .on: ["POST"]
            }
        }
    }

    /// The kind of an error. The answer's body has it for programs, and a message with a remedy for people.
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
        /// The run plays a scenario of its own, or too many verdicts are requested at the same time.
        case busy
        /// The kernel or the engine does not support the profile.
        case unsupported
        case refused
        /// Nothing observes the run.
        case notObserved
        /// The observation of the run began later than the requested part.
        case observedLater
    }
}
