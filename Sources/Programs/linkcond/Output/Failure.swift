// SPDX-License-Identifier: Apache-2.0

import Containers
import Glibc
import LinkConditioning
import LinkMeasuring
import LinuxSystem
import Netlink
import PacketCapture
import PacketMirror
import ProfileCatalog
import Reports
import SandboxClient
import Sandboxing
import Trials

/// The reason why a command fails: a message, and an exit status (sysexits.h).
struct Failure: Error {
    let status: Status
    /// The failed operation with its object, and the cause.
    var problem: String
    let remedy: String?

    /// The problem, and on another line the remedy.
    var message: String { String(problem, try: remedy) }
    /// The last line of the problem, which is the most specific.
    var summary: String { problem.split(separator: "\n").last.map(String.init) ?? problem }

    /// The exit statuses of all commands that do not run another command.
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

    init(_ status: Status, _ problem: String, remedy: String? = nil) {
        (self.status, self.problem, self.remedy) = (status, problem, remedy)
    }

    /// Converts any error. Commands throw the errors of the services that they use, and `main` converts them here.
    ///
    /// - Parameter network: the option that names the network namespace in which the command works.
    init(_ error: any Error, in network: String = "") {
        switch error {
        case let failure as Failure: self = failure
        case let error as ConditioningError: self.init(error, network)
        case let error as NetlinkError: self.init(ConditioningError(error), network)
        case let error as SystemError: self.init(error)
        case let error as SandboxError: self.init(.unavailable, error.message, remedy: error.remedy?.words(in: network))
        case let error as CatalogError: self.init(error)
        case let error as InvalidProfile:
            let words = error.issues.map { $0.withoutPosition }.joined(separator: "\n")
            self.init(.badProfile, words, remedy: "linkcond help profiles")
        case let error as InvalidPacketFilter: self.init(.usage, "\(error)", remedy: error.remedy)
        case let error as MirrorError: self.init(error)
        case let error as ContainerError: self.init(error)
        case let error as ControlClient.Refusal: self.init(error)
        case is ObservedPart.NotObserved:
            let remedy = "linkcond run --observe PROFILE -- COMMAND, or a later --since"
            self.init(.usage, "the start of that was not observed", remedy: remedy)
        case let error as ObservedPart.NoBegin:
            let label = error.label
            self.init(.notFound, "no mark and no step '\(label)' began", remedy: "linkcond mark \(label.shellWord)")
        case let error as EvidenceError: self.init(error)
        case let error as UnusableTrial: self.init(error)
        case let error as MeasurementError: self.init(error)
        case let mistakes as MatrixCell.Mistakes: self.init(mistakes)
        case MatrixCell.Mistake.standardInput:
            self.init(.usage, "a matrix cannot read a profile from standard input; give it a file")
        case MatrixCell.Mistake.repeatedName(let name): self.init(.usage, "\"\(name)\" is given twice")
        case let problem as ScenarioFiles.Problem: self.init(problem)
        case let refusal as ShardMerge.Refusal: self.init(refusal)
        case let shard as UnusableShard: self.init(.badProfile, "\(shard.path): \(shard.reason)")
        default: self.init(.internalError, "internal error: \(error)")
        }
    }

    private init(_ error: ConditioningError, _ network: String) {
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
        self.init(status, error.description, remedy: error.remedy?.words(in: network))
    }

    private init(_ error: EvidenceError) {
        switch error {
        case .noFile(let path):
            let problem = "--capture \(path) is not a file, and expectations need the packets to be read back"
            self.init(.usage, problem, remedy: "--capture FILE, or leave out --expect")
        case .report(let path, let account, let error):
            let user = account.map { " as \($0.name)" } ?? ""
            let start = "cannot write the report to \(path)\(user): "
            switch error.code {
            case ENOTDIR: self.init(.usage, "\(start)it is not a directory", remedy: "--report \(path).d")
            case EACCES, EPERM, EROFS:
                let place = account.map { "a directory that \($0.name) may write" } ?? "another directory"
                self.init(.notPermitted, "\(start)\(error)", remedy: place)
            default: self.init(.inputOutput, "\(start)\(error)")
            }
        }
    }

    private init(_ unusable: UnusableTrial) {
        let line = unusable.result.lastLines.last?.replacing("linkcond: ", with: "")
        self = unusable.result.failure.map { Failure(.unavailable, $0) } ?? Failure(.notFound, line ?? "cannot run it")
    }

    private init(_ error: CatalogError) {
        switch error {
        case .unknownName(let name, _) where Catalog.isScenarioName(name):
            let scenario = Catalog.shortSpelling(of: name)
            self.init(.notFound, "\(error)", remedy: "linkcond run --scenario \(scenario.shellWord) -- COMMAND")
        case .unknownName(let name, _) where Catalog.isPopulationName(name):
            let population = Catalog.shortSpelling(of: name)
            let remedy = "linkcond matrix --weights \(population.shellWord) -- COMMAND"
            self.init(.notFound, "\(error)", remedy: remedy)
        case .unknownName: self.init(.notFound, "\(error)", remedy: "linkcond list")
        case .unknownPopulation:
            let names = Catalog.populationNames.map(Catalog.shortSpelling).joined(separator: ", ")
            self.init(.notFound, "\(error)", remedy: "\(names), or the path of a population's file")
        case .unknownScenario(let name, true, _):
            let profile = Catalog.shortSpelling(of: name)
            self.init(.notFound, "\(error)", remedy: "linkcond run \(profile.shellWord) -- COMMAND")
        case .unknownScenario:
            self.init(.notFound, "\(error)", remedy: "linkcond list --broken, or the path of a scenario's file")
        case .unreadable(let file) where file.code == ENOENT:
            self.init(Status(file), "\(error)", remedy: "another path; \"linkcond list\" has the names of profiles")
        case .unreadable(let file): self.init(Status(file), "\(error)")
        case .unusableTraces(_, let traces):
            // Of several mistakes, a malformed recording decides the status.
            let statuses = traces.map { $0.unreadable.map { Status($0) } ?? .badProfile }
            self.init(statuses.first { $0 == .badProfile } ?? statuses.first ?? .badProfile, "\(error)")
        case .invalid: self.init(.badProfile, "\(error)")
        }
    }

    private init(_ error: SystemError) {
        let status: Status =
            switch error.code {
            case EPERM, EACCES: .notPermitted
            case ENOENT, ENODEV: .notFound
            default: .inputOutput
            }
        self.init(status, "\(error)")
    }

    private init(_ refusal: ControlClient.Refusal) {
        let status: Status =
            switch refusal.kind {
            case .unknownProfile, .unknownLabel: .notFound
            case .badProfile, .badScenario: .badProfile
            case .busy: .busy
            case .unsupported: .unavailable
            case .forbidden: .notPermitted
            case .notObserved, .observedLater, .badExpectation: .usage
            case .badRequest, .refused, nil: .refusedByKernel
            }
        let remedy = refusal.kind == .unsupported ? Remedy(.examine) : nil
        self.init(status, refusal.message, remedy: remedy?.words())
    }

    private init(_ error: ContainerError) {
        let status: Status =
            switch error.kind {
            case .notFound: .notFound
            case .notPermitted: .notPermitted
            case .usage: .usage
            case .unavailable: .unavailable
            }
        self.init(status, error.message, remedy: error.remedy)
    }

    private init(_ error: MirrorError) {
        let status: Status =
            switch error.code {
            case .invalidRequest: .usage
            case .notFound: .notFound
            case .nameTaken, .silent: .busy
            case .unsupported: .unavailable
            case .notPermitted: .notPermitted
            case .refused: .refusedByKernel
            }
        self.init(status, error.message, remedy: error.remedy?.words)
    }

    private init(_ mistakes: MatrixCell.Mistakes) {
        let failures = mistakes.errors.map { Failure($0) }
        // Removes duplicate remedies.
        let remedies = Set(failures.compactMap(\.remedy)).sorted().joined(separator: "\ntry: ")
        self.init(
            failures.first?.status ?? .usage,
            failures.map(\.problem).joined(separator: "\n"),
            remedy: remedies.isEmpty ? nil : remedies
        )
    }

    private init(_ problem: ScenarioFiles.Problem) {
        switch problem {
        case .noName(let path): self.init(.usage, "--write \(path) names no file")
        case .noDirectory(let parent, let path):
            let words = "cannot write \(path): there is no directory \(parent)"
            self.init(.notFound, words, remedy: "mkdir -p \(parent)")
        case .forbidden(let path, let code):
            let words = "cannot write \(path): \(String(cString: strerror(code)))"
            self.init(.notPermitted, words, remedy: "--write FILE")
        case .noFile(let path): self.init(.usage, "--write \(path) is not a file")
        }
    }

    private init(_ refusal: ShardMerge.Refusal) {
        let problems = refusal.shards.map { "\($0.path): \($0.reason)" }
        let these = refusal.shards.count > 1 ? "these" : "it"
        let remedy = "linkcond merge without \(these); runs that no other has are missing then"
        let isUseful = refusal.shards.allSatisfy(\.canBeLeftOut)
        self.init(.badProfile, problems.joined(separator: "\n"), remedy: isUseful ? remedy : nil)
    }

    private init(_ error: MeasurementError) {
        let status: Status =
            switch error.kind {
            case .unavailable: .unavailable
            case .notPermitted: .notPermitted
            case .internalError: .internalError
            }
        self.init(status, error.description)
    }

    /// Runs `body`, which follows a command whose exit status must be kept; prints an error instead of throwing it.
    ///
    /// - Returns: whether `body` succeeded.
    static func attempt(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            Console.failure(Failure(error).message)
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
