// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinkProfiles
internal import ProfileCatalog

/// What the control socket answers, without the transport.
///
/// `GET /v1/status` tells what `linkcond status --json` does. `PUT /v1/conditions` wants a profile, as an object or
/// by name, and puts it in the place of the one in force.
public enum ControlAPI {
    /// Where the state can be read.
    public static let statusPath = "/v1/status"
    /// Where conditions are put.
    public static let conditionsPath = "/v1/conditions"
    /// The largest body of a request.
    static let maximumBody = Profile.maximumBytes

    /// An answer.
    struct Answer {
        /// HTTP's status code.
        var status: Int
        /// The body.
        var body: JSON
        /// The methods that the resource knows, where another was asked for.
        var allowed: String?
        /// Lanes to take away once the answer is given.
        var leaving: [PendingTeardown] = []
    }

    /// A refusal; its body says why in words, what to type next, and its kind for programs.
    public enum Refusal: String, Sendable {
        /// The request is none that is understood.
        case badRequest
        /// The process at the other end belongs to somebody else.
        case forbidden
        /// There is no such profile.
        case unknownProfile
        /// The profile has mistakes.
        case badProfile
        /// The kernel or the engine cannot do what the profile says.
        case unsupported
        /// The kernel refused.
        case refused

        var status: Int {
            switch self {
            case .badRequest: 400
            case .forbidden: 403
            case .unknownProfile: 404
            case .badProfile, .unsupported: 422
            case .refused: 500
            }
        }
    }

    static func refuse(_ refusal: Refusal, _ words: String) -> Answer {
        Answer(status: refusal.status, body: JSON(("error", .text(words)), ("kind", .text(refusal.rawValue))))
    }
}

/// The sandbox that the control socket is about.
struct ControlledSandbox {
    let conditions: SandboxConditions
    let catalog: Catalog
    /// The program that carries the uplink; nil where offline.
    let uplink: String?
    /// The process that keeps the sandbox.
    let supervisor: Int32

    /// Answers one request.
    func answer(_ method: String, _ path: String, body: [UInt8]) -> ControlAPI.Answer {
        switch (method, path) {
        case ("GET", ControlAPI.statusPath): return status()
        case ("PUT", ControlAPI.conditionsPath): return change(body)
        case (_, ControlAPI.statusPath): return notAllowed("GET")
        case (_, ControlAPI.conditionsPath): return notAllowed("PUT")
        default:
            let known = "GET \(ControlAPI.statusPath) and PUT \(ControlAPI.conditionsPath)"
            var answer = ControlAPI.refuse(.badRequest, "there is no \(path); known are \(known)")
            answer.status = 404
            return answer
        }
    }

    private func notAllowed(_ method: String) -> ControlAPI.Answer {
        var answer = ControlAPI.refuse(.badRequest, "only \(method) is known here")
        answer.status = 405
        answer.allowed = method
        return answer
    }

    private func status() -> ControlAPI.Answer {
        do {
            var (report, profile) = try conditions.report()
            report.sandbox = StatusReport.Sandbox(profile: profile, uplink: uplink, processID: supervisor)
            return ControlAPI.Answer(status: 200, body: report.json)
        } catch {
            return ControlAPI.refuse(.refused, error.description)
        }
    }

    private func change(_ body: [UInt8]) -> ControlAPI.Answer {
        let profile: Profile
        do {
            profile = try self.profile(body)
        } catch let error {
            return error.answer
        }
        do {
            let leaving = try conditions.change(to: profile, seed: nil)
            return ControlAPI.Answer(status: 200, body: JSON(("profile", .text(profile.name))), leaving: leaving)
        } catch {
            return ControlAPI.refuse(error.code == .unsupported ? .unsupported : .refused, error.description)
        }
    }

    private struct Rejected: Error {
        let answer: ControlAPI.Answer
    }

    /// The profile that a body means: an object, or a name with or without JSON's quotes.
    private func profile(_ body: [UInt8]) throws(Rejected) -> Profile {
        let text = String(decoding: body, as: UTF8.self)
        if text.first(where: { !$0.isWhitespace }) == "{" {
            do {
                return try Profile(utf8: body)
            } catch {
                throw Rejected(
                    answer: ControlAPI.refuse(.badProfile, error.issues.map { "\($0)" }.joined(separator: "\n"))
                )
            }
        }
        var name = text.trimmed
        if name.hasPrefix("\"") {
            guard case .string(let unquoted)? = try? JSON(utf8: body).value else {
                throw Rejected(answer: ControlAPI.refuse(.badRequest, "the body is neither a profile nor a name"))
            }
            name = unquoted
        }
        guard !name.isEmpty else {
            throw Rejected(answer: ControlAPI.refuse(.badRequest, "the body is empty; it must be a profile or a name"))
        }
        // A path would be read with the supervisor's rights, which may be more than those of who asks.
        guard !name.contains("/"), !name.hasSuffix(".json"), name != "-" else {
            throw Rejected(answer: ControlAPI.refuse(.badRequest, "a path; put the profile's content, or a name"))
        }
        do {
            return try catalog.profile(name).profile
        } catch {
            guard case .unknownName = error else {
                throw Rejected(answer: ControlAPI.refuse(.badProfile, error.description))
            }
            throw Rejected(answer: ControlAPI.refuse(.unknownProfile, error.description))
        }
    }
}

extension String {
    /// The text without white space around it.
    fileprivate var trimmed: String {
        let start = drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
