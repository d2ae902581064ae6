// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
package import SandboxClient

extension OwnProgram {
    /// Runs the program with these arguments, and answers with its outcome.
    func answer(_ arguments: [String]) -> ControlAPI.Answer {
        do {
            return try run(arguments).answer()
        } catch {
            return ControlAPI.refuse(.refused, "\(error)")
        }
    }
}

extension CommandOutcome {
    /// The kind of a failure, by the exit status (the guide's page on them): for programs, beside the message.
    enum Failure: String {
        case badRequest, badProfile, notFound, unsupported, internalError, refused, journal, busy, notPermitted, late

        init(_ end: End) {
            self =
                switch end {
                case .exited(64): .badRequest
                case .exited(65): .badProfile
                case .exited(66): .notFound
                case .exited(69): .unsupported
                case .exited(71): .refused
                case .exited(74): .journal
                case .exited(75): .busy
                case .exited(77): .notPermitted
                case .late: .late
                default: .internalError
                }
        }

        /// The status of HTTP.
        var status: Int {
            switch self {
            case .badRequest: 400
            case .notPermitted: 403
            case .notFound: 404
            case .busy: 409
            case .badProfile, .unsupported: 422
            case .internalError, .refused, .journal, .late: 500
            }
        }
    }

    /// The answer to the request that ran the command.
    ///
    /// - Parameters:
    ///   - warnings: what to know before the command is run, or nil to say nothing about that.
    ///   - field: the field of the request that the failure is about.
    package func answer(warnings: [String]? = nil, field: String? = nil) -> ControlAPI.Answer {
        let command = ("command", JSON?.some(line.json))
        guard !hasSucceeded else {
            return .init(body: JSON(command, ("notes", notes.json), ("warnings", warnings?.json)))
        }
        let failure = Failure(end)
        return .init(
            status: failure.status,
            body: JSON(
                ("error", problem.json),
                ("kind", failure.rawValue.json),
                ("field", field?.json),
                ("try", remedy?.json),
                command,
                ("notes", notes.isEmpty ? nil : notes.json)
            )
        )
    }
}
