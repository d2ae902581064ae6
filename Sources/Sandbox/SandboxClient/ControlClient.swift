// SPDX-License-Identifier: Apache-2.0

import Glibc
package import LinkProfiles
internal import LinuxSystem

/// A client of the supervisor of the sandbox that this process is in.
package struct ControlClient {
    private let path: String

    package init(path: String) { self.path = path }

    /// The sandbox that the environment names; nil outside of one.
    package static var ofThisSandbox: ControlClient? {
        getenv("LINKCOND_SOCKET").map { ControlClient(path: String(cString: $0)) }
    }

    /// The name of the file beside the control socket that a test locks while it uses the link.
    package static let turn = "turn"

    /// The file that a test locks while it uses the link.
    package var turn: String { path[..<(path.lastIndex(of: "/") ?? path.startIndex)] + "/" + Self.turn }

    /// The reason why a request to the supervisor failed.
    package struct Refusal: Error {
        /// The kind; nil if there was no valid answer.
        package let kind: ControlAPI.Refusal?
        /// The message for the user.
        package let message: String

        /// The answer of a supervisor that says something else than this client reads.
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
    ///   - recordings: those that it names and that the supervisor does not know yet.
    ///   - interface: that to change, where each has conditions of its own; else nil.
    package func change(
        to profile: Profile,
        _ recordings: Recordings = [:],
        on interface: String? = nil
    ) throws(Refusal) {
        _ = try exchange("PUT", .conditions, of: interface, RecordedProfile(profile, recordings).json)
    }

    /// Reads the profile that was last put, or that a step of a scenario brought into effect; nil before the first.
    package func conditions() throws(Refusal) -> Profile? {
        let answer = try exchange("GET", .conditions)
        if case .null = answer.value { return nil }
        do {
            return try Profile(json: answer)
        } catch {
            throw .otherVersion
        }
    }

    /// Replaces the conditions in effect by those of the profile that the supervisor knows by this name.
    package func change(toProfileNamed name: String) throws(Refusal) {
        _ = try exchange("PUT", .conditions, JSON(.string(name)))
    }

    /// Plays a scenario from now on, until ``endScenario()``. Its profiles are found by the supervisor.
    package func play(_ scenario: Scenario) throws(Refusal) {
        _ = try exchange("PUT", .scenario, scenario.json)
    }

    /// Ends the scenario; returns which steps never began, or failed, and why. The conditions in effect stay.
    package func endScenario() throws(Refusal) -> [String] {
        try exchange("DELETE", .scenario).required("notes") ?? []
    }

    /// Has the supervisor observe this network from now on, if it does not yet.
    package func observe() throws(Refusal) { _ = try exchange("POST", .observation) }

    /// Asks for verdicts; returns them as `linkcond judge --json` prints them.
    package func judge(_ request: JudgeRequest) throws(Refusal) -> JSON {
        try exchange("POST", .judge, request.json)
    }

    /// Tells that this process has reached the point `name`. Returns when the conditions of a step that waited for the
    /// mark are in effect.
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
            return try HTTPAnswer(to: method, resource, Array((body?.text ?? "").utf8), at: path)
        } catch {
            guard error.code != EACCES else {
                throw Refusal(kind: .forbidden, message: "this is another user's sandbox")
            }
            throw Refusal(kind: nil, message: "\(error)")
        }
    }
}
