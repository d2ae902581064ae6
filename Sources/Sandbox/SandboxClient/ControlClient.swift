// SPDX-License-Identifier: Apache-2.0

import Glibc
package import LinkProfiles
internal import LinuxSystem

/// A client of the supervisor of the sandbox that this process is in.
package struct ControlClient {
    private let path: String
    private let limit: Int?

    /// - Parameter limit: the time limit of each request in seconds; nil for none: a request may wait for a slow link.
    package init(path: String, limit: Int? = nil) { (self.path, self.limit) = (path, limit) }

    /// A client of the sandbox that LINKCOND_SOCKET names in the environment; nil outside of a sandbox.
    package static var ofThisSandbox: ControlClient? {
        getenv("LINKCOND_SOCKET").map { ControlClient(path: String(cString: $0)) }
    }

    /// The name of the file beside the control socket that a test locks while it uses the link.
    package static let turn = "turn"

    /// The file that a test locks while it uses the link.
    package var turn: String { path[..<(path.lastIndex(of: "/") ?? path.startIndex)] + "/" + Self.turn }

    /// The reason why a request to the supervisor failed.
    package struct Refusal: Error {
        /// The kind of the refusal; nil if there was no valid answer.
        package let kind: ControlAPI.Refusal?
        /// The message for the user.
        package let message: String
        /// Whether there is no supervisor any more.
        package var isGone = false

        /// The error for an answer that this client cannot read.
        package static let otherVersion = Refusal(
            kind: nil,
            message: "this sandbox's supervisor is another version of linkcond"
        )
    }

    /// Reads the sandbox's state, as `linkcond status --json` prints it.
    package func state() throws(Refusal) -> JSON { try exchange("GET", .status) }

    /// Replaces the conditions in effect by `profile`.
    ///
    /// - Parameters:
    ///   - recordings: the recordings that `profile` names and that the supervisor does not have yet.
    ///   - interface: the interface to change, if each has conditions of its own; otherwise nil.
    package func change(
        to profile: Profile,
        _ recordings: Recordings = [:],
        on interface: String? = nil
    ) throws(Refusal) {
        _ = try exchange("PUT", .conditions, of: interface, RecordedProfile(profile, recordings).json)
    }

    /// Reads the profile that a client or a step of a scenario has last put into effect; nil before the first.
    package func conditions() throws(Refusal) -> Profile? {
        let answer = try exchange("GET", .conditions)
        if case .null = answer.value { return nil }
        do {
            return try Profile(json: answer)
        } catch {
            throw .otherVersion
        }
    }

    /// Replaces the conditions in effect by the profile with this name, which the supervisor looks up.
    package func change(toProfileNamed name: String) throws(Refusal) {
        _ = try exchange("PUT", .conditions, JSON(.string(name)))
    }

    /// Takes all conditions out of effect until ``on()``; returns the names of their profiles.
    package func off() throws(Refusal) -> [String] { try exchange("POST", .off).required("suspended") ?? [] }

    /// Brings the conditions that ``off()`` has suspended back into effect; returns the names of their profiles.
    package func on() throws(Refusal) -> [String] { try exchange("POST", .on).required("resumed") ?? [] }

    /// Reads the course of the run so far: steps, marks, conditions and verdicts.
    package func run() throws(Refusal) -> JSON { try exchange("GET", .run) }

    /// Reads the interfaces of the run.
    package func interfaces() throws(Refusal) -> JSON { try exchange("GET", .interfaces) }

    /// Reads the connections of the run.
    package func connections() throws(Refusal) -> JSON { try exchange("GET", .connections) }

    /// Plays a scenario from now on, until ``endScenario()``. The supervisor looks up the scenario's profiles.
    package func play(_ scenario: Scenario) throws(Refusal) {
        _ = try exchange("PUT", .scenario, scenario.json)
    }

    /// Reads a scenario that repeats the conditions so far.
    package func repetition() throws(Refusal) -> JSON { try exchange("GET", .scenario) }

    /// Reads the packets so far, as pcapng.
    package func capture() throws(Refusal) -> [UInt8] {
        let answer = try answer("GET", ControlAPI.Resource.capture.rawValue, nil)
        guard answer.status == 200 else { throw Self.refusal(try? JSON(utf8: answer.body), answer.status) }
        return answer.body
    }

    /// Ends the scenario; returns the steps that never began, or failed, with reasons. The conditions in effect stay.
    package func endScenario() throws(Refusal) -> [String] {
        try exchange("DELETE", .scenario).required("notes") ?? []
    }

    /// Has the supervisor observe this network from now on, unless it does already.
    package func observe() throws(Refusal) { _ = try exchange("POST", .observation) }

    /// Requests verdicts; returns them in the form of `linkcond judge --json`.
    package func judge(_ request: JudgeRequest) throws(Refusal) -> JSON {
        try exchange("POST", .judge, request.json)
    }

    /// Reports that this process has reached the point `name`. Returns when the conditions of a step that waited for
    /// this mark are in effect.
    package func mark(_ name: String) throws(Refusal) {
        _ = try exchange("POST", .marks, JSON(("name", .text(name))))
    }

    private func exchange(
        _ method: String,
        _ resource: ControlAPI.Resource,
        of interface: String? = nil,
        _ body: JSON? = nil
    ) throws(Refusal) -> JSON {
        let answer = try answer(method, resource.rawValue + (interface.map { "/\($0)" } ?? ""), body)
        if answer.status == 204 { return JSON(.null) }
        guard let json = try? JSON(utf8: answer.body) else {
            throw Refusal(kind: nil, message: "\(path) is not linkcond's control socket")
        }
        guard answer.status == 200 else { throw Self.refusal(json, answer.status) }
        return json
    }

    private static func refusal(_ answer: JSON?, _ status: Int) -> Refusal {
        let message: String? = answer?.required("error")
        return Refusal(kind: answer?.required("kind"), message: message ?? "the supervisor answered \(status)")
    }

    private func answer(_ method: String, _ resource: String, _ body: JSON?) throws(Refusal) -> HTTPAnswer {
        do {
            return try HTTPAnswer(to: method, resource, Array((body?.text ?? "").utf8), at: path, limit: limit)
        } catch {
            guard error.code != EACCES else {
                throw Refusal(kind: .forbidden, message: "this is another user's sandbox")
            }
            let isGone = [ENOENT, ENOTDIR, ESRCH, ECONNREFUSED].contains(error.code)
            throw Refusal(kind: nil, message: "\(error)", isGone: isGone)
        }
    }
}
