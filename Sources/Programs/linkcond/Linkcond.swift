// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinuxCalls
import Glibc
import LinkProfiles

@main
struct Linkcond: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "linkcond",
        abstract: "See your client on a bad link before your users do.",
        discussion: """
            Applies named conditions (rate, delay, loss and more) to a network interface, and removes them.

            Exit status: 0 done, 1 a check failed, 64 usage, 65 bad profile, 66 no such profile, file or interface, \
            69 this machine cannot do it, 70 internal error, 71 refused by the kernel, 74 output failed or no journal can be kept, \
            75 another process is changing it, 77 not permitted.
            """,
        version: versionAndBuild,
        subcommands: [
            List.self, Show.self, New.self, Edit.self, Remove.self, Validate.self, Import.self, Export.self, Apply.self,
            Confirm.self, Run.self, Switch.self, Mark.self, Judge.self, Matrix.self, Limits.self, Explore.self,
            Verify.self, Reflect.self, Simulate.self, Status.self, Off.self,
            On.self, Reset.self, Monitor.self, Containers.self, Capture.self, Doctor.self,
        ]
    )

    static let version = "0.1.0"

    /// The version, and the commit that the program was built from, if it is known.
    static var versionAndBuild: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            guard let start = text.baseAddress else { return version }
            lc_read_build(start)
            let build = String(cString: start)
            return build.isEmpty ? version : "\(version) (\(build))"
        }
    }

    static func main() {
        // A reader that closes the pipe, as in `linkcond list | head`, causes a write error. `run` passes
        // its signals on as they are.
        if !isWrapper, !isExplorer { signal(SIGPIPE, SIG_IGN) }
        var parsed: (any ParsableCommand)?
        do {
            let words = CommandLine.arguments
            // Swift finds them by /proc/self/maps. Without any, the parser would print help and end with status 0.
            if words.isEmpty { throw Failure(.refusedByKernel, "cannot read the command line from /proc/self/maps") }
            let arguments = Array(words.dropFirst())
            // The parser would take longer than everything else that is done for this.
            if arguments == ["--version"] { return Console.text(versionAndBuild) }
            if arguments == ["help", "expectations"] { return ExpectationHelp.lines.forEach(Console.text) }
            var command = try command(arguments)
            parsed = command
            try command.run()
        } catch  where exitCode(for: error) == .failure {
            let failure = Failure(error, in: (parsed as? any NetworkCommand)?.namespace.words ?? "")
            Console.failure(failure.message)
            Glibc.exit(isWrapper ? wrapperFailure : failure.status.rawValue)
        } catch  where isWrapper && exitCode(for: error) != .success {
            Console.notes(fullMessage(for: error))
            Glibc.exit(wrapperFailure)
        } catch {
            // What the parser says quotes arguments, too.
            let code = exitCode(for: error)
            let text = fullMessage(for: error)
            if !text.isEmpty { code.isSuccess ? Console.text(text) : Console.notes(text) }
            Glibc.exit(code.rawValue)
        }
    }

    /// Whether another command is to be run. A failure to do so must differ from that command's exit status: timeout(1)
    /// and env(1) also use 125.
    private static let isWrapper = ["run", "matrix", "limits"].contains(CommandLine.arguments.dropFirst().first)
    /// Whether it runs another command, whose signals it passes on, but has exit statuses of its own.
    private static let isExplorer = CommandLine.arguments.dropFirst().first == "explore"
    /// The status of `run` and its like if linkcond itself failed.
    static let wrapperFailure: Int32 = 125

    /// The command that the arguments mean.
    ///
    /// It is parsed alone first, since the tree of all commands takes longer to build and to search than most
    /// commands take for their work. What a command does not understand alone, such as a request for help, is for
    /// the tree.
    private static func command(_ arguments: [String]) throws -> any ParsableCommand {
        guard let type = type(named: arguments.first) else {
            try refuseUnknownName(arguments.first == "help" ? arguments.dropFirst().first : arguments.first)
            return try parseAsRoot(arguments)
        }
        let words = Array(arguments.dropFirst())
        if let command = try? type.parseAsRoot(words), Swift.type(of: command) == type { return command }
        if isWrapper || isExplorer, let command = UnmarkedCommand(type, words) {
            throw Failure(.usage, command.message)
        }
        return try parseAsRoot(arguments)
    }

    /// Fails if no command has this name. The parser would not say which one is meant, or answer with the help of all.
    private static func refuseUnknownName(_ name: String?) throws {
        guard let name, !name.hasPrefix("-") else { return }
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        guard name != "help", !names.contains(name) else { return }
        let nearest = Spelling.nearest(to: name, among: names + ["help"])
        throw Failure(
            .usage,
            "no command is called \"\(name)\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
                + "\ntry: linkcond help"
        )
    }

    /// The command of this name. A switch, since a list would set up the type of each command that it holds.
    static func type(named name: String?) -> (any ParsableCommand.Type)? {
        switch name {
        case "list": List.self
        case "show": Show.self
        case "new": New.self
        case "edit": Edit.self
        case "remove": Remove.self
        case "validate": Validate.self
        case "import": Import.self
        case "export": Export.self
        case "apply": Apply.self
        case "confirm": Confirm.self
        case "run": Run.self
        case "switch": Switch.self
        case "mark": Mark.self
        case "judge": Judge.self
        case "status": Status.self
        case "off": Off.self
        case "on": On.self
        case "reset": Reset.self
        case "monitor": Monitor.self
        case "containers": Containers.self
        case "capture": Capture.self
        case "matrix": Matrix.self
        case "limits": Limits.self
        case "explore": Explore.self
        case "verify": Verify.self
        case "reflect": Reflect.self
        case "simulate": Simulate.self
        case "doctor": Doctor.self
        default: nil
        }
    }
}

extension CommandConfiguration {
    /// Describes a subcommand. It is parsed alone, so that its usage has the program's name from here.
    init(_ name: String, abstract: String, usage: String? = nil, discussion: String = "") {
        self.init(
            commandName: name,
            _superCommandName: "linkcond",
            abstract: abstract,
            usage: usage,
            discussion: discussion
        )
    }
}

extension NameSpecification {
    /// `-i` and `--interface`.
    static var interface: NameSpecification { [.customShort("i"), .customLong("interface")] }
}
