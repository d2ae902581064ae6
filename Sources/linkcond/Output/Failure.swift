// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkConditioning
import LinuxSystem
import Netlink
import ProfileCatalog
import SandboxClient
import Sandboxing

/// Why a command fails: the message, and the exit status (sysexits.h).
struct Failure: Error {
    let status: Status
    let message: String

    /// The exit statuses of every command but `run`.
    enum Status: Int32 {
        case usage = 64
        case badProfile = 65
        case notFound = 66
        case unavailable = 69
        case internalError = 70
        case refusedByKernel = 71
        case inputOutput = 74
        case busy = 75
        case notPermitted = 77
    }

    init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    init(_ error: ConditioningError) {
        let status: Status =
            switch error.code {
            case .notFound: .notFound
            case .unsupported: .unavailable
            case .notPermitted: .notPermitted
            case .tooMuch, .ambiguous, .invalidRequest: .usage
            case .busy: .busy
            case .journal: .inputOutput
            default: .refusedByKernel
            }
        self.init(status, String(error.description, try: error.remedy?.words))
    }

    init(_ error: CatalogError) {
        switch error {
        case .unknownName: self.init(.notFound, "\(error)\ntry: linkcond list")
        case .unreadable(let file): self.init(Status(file), "\(error)")
        case .unusableTraces(_, let traces):
            // A malformed recording is the graver mistake.
            let statuses = traces.map { $0.unreadable.map { Status($0) } ?? .badProfile }
            self.init(statuses.first { $0 == .badProfile } ?? statuses.first ?? .badProfile, "\(error)")
        case .invalid: self.init(.badProfile, "\(error)")
        }
    }

    init(_ error: SystemError) {
        let status: Status =
            switch error.code {
            case EPERM, EACCES: .notPermitted
            case ENOENT, ENODEV: .notFound
            default: .inputOutput
            }
        self.init(status, "\(error)")
    }

    init(_ refusal: ControlClient.Refusal) {
        let status: Status =
            switch refusal.kind {
            case .unknownProfile: .notFound
            case .badProfile, .badScenario: .badProfile
            case .busy: .busy
            case .unsupported: .unavailable
            case .forbidden: .notPermitted
            case .notObserved: .usage
            case .badRequest, .refused, nil: .refusedByKernel
            }
        let remedy = refusal.kind == .unsupported ? Remedy(.examine) : nil
        self.init(status, String(refusal.message, try: remedy?.words))
    }

    /// Runs `body` and turns what it throws into a failure with the right status.
    static func catching<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as ConditioningError {
            throw Failure(error)
        } catch let error as NetlinkError {
            throw Failure(ConditioningError(error))
        } catch let error as ControlClient.Refusal {
            throw Failure(error)
        } catch let error as CatalogError {
            throw Failure(error)
        } catch let error as SystemError {
            throw Failure(error)
        }
    }
}

extension Failure {
    /// Runs `body`, what comes after a command whose exit status must survive it; prints why it failed.
    ///
    /// - Returns: whether it succeeded.
    static func attempt(_ body: () throws -> Void) -> Bool {
        do {
            try catching(body)
            return true
        } catch {
            Console.failure((error as? Failure)?.message ?? "internal error: \(error)")
            return false
        }
    }
}

extension Failure.Status {
    /// The status for a file that cannot be read.
    fileprivate init(_ file: UnreadableFile) {
        self = file.isForbidden ? .notPermitted : file.code == nil ? .badProfile : .notFound
    }
}
